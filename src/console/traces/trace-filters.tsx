import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type TraceValues, traceValues } from "../api/traces.js";
import { Button, Form, Icon, Suggestions } from "../components/controls.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { FILTERS, keyIdsOf, METADATA, setFilters, withFilters, withoutFilter } from "./filters.js";

interface TraceFiltersProps {
  readonly query: URLSearchParams;
  readonly onChange: (query: URLSearchParams) => void;
}

/** No text that is searched for: of a request, which is opened. */
const REQUEST_ID = /^req_\w{26}$/;

const [, ...OTHERS] = FILTERS;

/** A search in texts and one filter to add; below, what is set. */
export function TraceFilters({ query, onChange }: TraceFiltersProps) {
  const [name, setName] = useState(OTHERS[0]?.name ?? "");
  // The name of a key that the address has is known from them.
  const [isUsed, setIsUsed] = useState(query.has("key"));
  const seen = useResource(isUsed ? "values" : undefined, traceValues);
  const keys = seen.value?.keys ?? [];
  const [unknownKey, setUnknownKey] = useState<string>();
  const [, navigate] = useLocation();
  const search = (form: FormData): void => {
    const textOf = (field: string): string => String(form.get(field) ?? "").trim();
    const [text, value] = [textOf("q"), textOf("value")];
    if (REQUEST_ID.test(text)) {
      navigate(`/traces/${text}`);
      return;
    }
    const values = name === "key" && value !== "" ? keyIdsOf(value, keys) : [value];
    setUnknownKey(values.length === 0 ? value : undefined);
    if (values.length === 0) return;
    const [, key = "", tag = ""] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
    const given =
      name === METADATA ? [[`${METADATA}${key}`, tag] as const] : values.map((one) => [name, one] as const);
    const isGiven = name === METADATA ? key !== "" : value !== "";
    onChange(withFilters(query, [["q", text], ...(isGiven ? given : [])]));
  };
  return (
    <search class="trace-search">
      <Form class="row" onSubmit={search} onFocusIn={() => setIsUsed(true)}>
        {seen.value !== undefined && <SeenValues values={seen.value} />}
        <input
          class="input text-search"
          type="search"
          name="q"
          aria-label="Prompt or answer"
          placeholder="Search prompts and answers"
          defaultValue={query.get("q") ?? ""}
        />
        <select
          class="input"
          aria-label="Filter"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        >
          {OTHERS.map((filter) => (
            <option key={filter.name} value={filter.name}>
              {filter.label}
            </option>
          ))}
          <option value={METADATA}>Metadata</option>
        </select>
        <FilterValue key={name} name={name} />
        <Button type="submit">Search</Button>
      </Form>
      {unknownKey !== undefined && (
        <p class="small bad-figure" role="alert">
          No recent request is of a key called <Plain text={unknownKey} />.
        </p>
      )}
      <FilterChips keys={keys} query={query} onChange={onChange} />
    </search>
  );
}

function FilterValue({ name }: { readonly name: string }) {
  const filter = FILTERS.find((one) => one.name === name);
  if (filter?.choices !== undefined) {
    return (
      <select class="input" name="value" aria-label={filter.label}>
        <option value="">any</option>
        {filter.choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    );
  }
  const { label = "Metadata", placeholder = "key=value", suggests = "metadata", kind } = filter ?? {};
  return (
    <input
      class="input"
      name="value"
      aria-label={label}
      placeholder={placeholder}
      list={`seen-${suggests}`}
      {...(kind === "date" && { type: "datetime-local", step: 1 })}
    />
  );
}

interface FilterChipsProps extends TraceFiltersProps {
  /** Those whose names are known. */
  readonly keys: TraceValues["keys"];
}

/** What is set, each with the way to remove it. */
function FilterChips({ query, onChange, keys }: FilterChipsProps) {
  const filters = setFilters(query);
  if (filters.length === 0) return null;
  return (
    <ul class="row chips" aria-label="Filters that are set">
      {filters.map((filter) => {
        const { name, value, label } = filter;
        const keyName = name === "key" ? keys.find(({ id }) => id === value)?.name : undefined;
        return (
          <li key={`${name} ${value}`}>
            <Button look="slim chip" onClick={() => onChange(withoutFilter(query, filter))}>
              <span class="unseen">Remove the filter</span>
              <span class="muted">
                <Plain text={name.startsWith(METADATA) ? `${label} =` : `${label}:`} />
              </span>
              <span class="chip-text">
                <Plain text={keyName ?? filter.text} />
              </span>
              <Icon name="close" />
            </Button>
          </li>
        );
      })}
      <li>
        <Button look="slim quiet" onClick={() => onChange(new URLSearchParams())}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}

/** What the newest traces have, for the inputs of the filters. */
function SeenValues({ values }: { readonly values: TraceValues }) {
  const lists = {
    ...values,
    keys: values.keys.map(({ id, name }) => name ?? id),
    metadata: values.metadata.map(({ key, value }) => `${key}=${value}`),
  };
  const names = ["models", "providers", "sources", "error_codes", "efforts", "keys", "metadata"] as const;
  return (
    <>
      {names.map((name) => (
        <Suggestions key={name} id={`seen-${name}`} values={lists[name]} />
      ))}
    </>
  );
}
