import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { type TraceValues, traceValues } from "../api/traces.js";
import { Button, Field, Form, Icon } from "../components/controls.js";
import { localInput } from "../components/format.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import {
  FILTERS,
  keyIdOf,
  METADATA,
  queryFromForm,
  SHOWN_FIRST,
  setFilters,
  tagsIn,
  withoutFilter,
} from "./filters.js";

interface TraceFiltersProps {
  readonly query: URLSearchParams;
  readonly onChange: (query: URLSearchParams) => void;
}

/** No text that is searched for: of a request, which is opened. */
const REQUEST_ID = /^req_\w{26}$/;

/** The most used filters in one row, the others on demand, and below what is set. */
export function TraceFilters({ query, onChange }: TraceFiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  // The name of a key that the address has is known from them.
  const [isUsed, setIsUsed] = useState(query.has("key"));
  const seen = useResource(isUsed ? "values" : undefined, traceValues);
  const [unknownKey, setUnknownKey] = useState<string>();
  const [, navigate] = useLocation();
  const search = (form: FormData): void => {
    const text = String(form.get("q")).trim();
    if (REQUEST_ID.test(text)) {
      navigate(`/traces/${text}`);
      return;
    }
    const given = String(form.get("key") ?? "").trim();
    const id = keyIdOf(given, seen.value?.keys ?? []);
    setUnknownKey(id === undefined ? given : undefined);
    if (id === undefined) return;
    form.set("key", id);
    onChange(queryFromForm(form, query));
  };
  const more = setFilters(query).filter(({ name }) => isAmongMore(name)).length;
  return (
    <search class="card padded stack">
      <Form class={`filters ${isOpen ? "open" : ""}`} onSubmit={search} onFocusIn={() => setIsUsed(true)}>
        {seen.value !== undefined && <Suggestions values={seen.value} />}
        <div class="filter-grid">
          {FILTERS.slice(0, SHOWN_FIRST).map((filter) => (
            <FilterField key={filter.name} filter={filter} query={query}>
              {filter.name === "key" && unknownKey !== undefined && (
                <small class="bad-figure" role="alert">
                  No recent request is of a key called <Plain text={unknownKey} />.
                </small>
              )}
            </FilterField>
          ))}
          <TagFilters query={query} />
          {FILTERS.slice(SHOWN_FIRST).map((filter) => (
            <FilterField key={filter.name} look="more" filter={filter} query={query} />
          ))}
        </div>
        <div class="row">
          <Button look="primary" type="submit">
            Search
          </Button>
          <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? "Fewer filters" : `More filters${more === 0 ? "" : ` (${more})`}`}
          </Button>
        </div>
      </Form>
      <FilterChips keys={seen.value?.keys ?? []} query={query} onChange={onChange} />
    </search>
  );
}

const isAmongMore = (name: string): boolean => FILTERS.findIndex((one) => one.name === name) >= SHOWN_FIRST;

interface FilterFieldProps extends Pick<TraceFiltersProps, "query"> {
  readonly filter: (typeof FILTERS)[number];
  readonly look?: string;
  /** Below the input. */
  readonly children?: ComponentChildren;
}

function FilterField({ filter, query, look = "", children }: FilterFieldProps) {
  const { name, label, kind, placeholder, suggests, choices } = filter;
  const value = query.get(name) ?? "";
  if (choices !== undefined) {
    return (
      <label class={`field ${look}`}>
        <span>{label}</span>
        <select class="input" name={name} defaultValue={value}>
          <option value="">any</option>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    );
  }
  const list = suggests === undefined ? undefined : suggestionsId(suggests);
  return (
    <Field
      name={name}
      label={label}
      placeholder={placeholder}
      list={list}
      fieldLook={look}
      {...(kind === "date" && { type: "datetime-local", step: 1 })}
      defaultValue={kind === "date" ? localInput(value, "second") : value}
    >
      {children}
    </Field>
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
    <ul class="chips" aria-label="Filters that are set">
      {filters.map((filter) => {
        const { name, value, label } = filter;
        const keyName = name === "key" ? keys.find(({ id }) => id === value)?.name : undefined;
        const text = keyName ?? filter.text;
        return (
          <li key={`${name} ${value}`}>
            <Button look="slim chip" onClick={() => onChange(withoutFilter(query, filter))}>
              <span class="unseen">Remove the filter</span>
              <span class="muted">
                <Plain text={name.startsWith(METADATA) ? `${label} =` : `${label}:`} />
              </span>
              <span class="chip-text">
                <Plain text={text} />
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

/** Pairs of a tag's key and value; there is always one row more than is filled. */
function TagFilters({ query }: Pick<TraceFiltersProps, "query">) {
  const given = tagsIn(query);
  const [more, setMore] = useState(given.length === 0 ? 1 : 0);
  const rows = [...given, ...Array.from({ length: more }, () => ["", ""] as const)];
  return (
    <fieldset class="tag-filters">
      <legend class="field-name">Metadata</legend>
      {rows.map(([key, value], at) => (
        <span key={`${at}`} class="tag-filter">
          <input
            class="input"
            name="tag-key"
            aria-label={`Metadata key ${at + 1}`}
            defaultValue={key}
            placeholder="key"
            list={suggestionsId("metadata_keys")}
          />
          <span aria-hidden="true">=</span>
          <input
            class="input"
            name="tag-value"
            aria-label={`Metadata value ${at + 1}`}
            defaultValue={value}
            placeholder="value"
            list={suggestionsId("metadata_values")}
          />
        </span>
      ))}
      <Button look="quiet slim more" onClick={() => setMore(more + 1)}>
        <Icon name="plus" /> Add
      </Button>
    </fieldset>
  );
}

const LISTS = ["models", "providers", "sources", "error_codes", "efforts", "metadata_keys"] as const;
type ListName = (typeof LISTS)[number] | "keys" | "metadata_values";

/** Of the list that an input names in `list`. */
const suggestionsId = (name: ListName): string => `seen-${name}`;

/** What the newest traces have, for the inputs of the filters. */
const Suggestions = ({ values }: { readonly values: TraceValues }) => (
  <>
    {LISTS.map((name) => (
      <datalist key={name} id={suggestionsId(name)}>
        {values[name].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    ))}
    <datalist id={suggestionsId("metadata_values")}>
      {[...new Set(values.metadata.map(({ value }) => value))].map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
    <datalist id={suggestionsId("keys")}>
      {values.keys.map(({ id, name }) => (
        <option key={id} value={name ?? id} label={name === null ? undefined : id} />
      ))}
    </datalist>
  </>
);
