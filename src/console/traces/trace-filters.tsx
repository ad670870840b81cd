import { useState } from "preact/hooks";
import { type TraceValues, traceValues } from "../api/traces.js";
import { Button, Field, Form, Icon } from "../components/controls.js";
import { localInput } from "../components/format.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import {
  apiFilters,
  CHOICE_FILTERS,
  DATE_FILTERS,
  keyIdOf,
  queryFromForm,
  TEXT_FILTERS,
  tagsIn,
} from "./filters.js";

interface TraceFiltersProps {
  readonly query: URLSearchParams;
  readonly onChange: (query: URLSearchParams) => void;
}

export function TraceFilters({ query, onChange }: TraceFiltersProps) {
  const [isOpen, setIsOpen] = useState(hasRoom);
  const given = [...apiFilters(query, 0).keys()].length - (query.has("range") ? 1 : 0);
  // The name of a key that the address has is known from them.
  const [isUsed, setIsUsed] = useState(query.has("key"));
  const seen = useResource(isUsed ? "values" : undefined, traceValues);
  const [unknownKey, setUnknownKey] = useState<string>();
  const search = (form: FormData): void => {
    const given = String(form.get("key") ?? "").trim();
    const id = keyIdOf(given, seen.value?.keys ?? []);
    setUnknownKey(id === undefined ? given : undefined);
    if (id === undefined) return;
    form.set("key", id);
    onChange(queryFromForm(form, query));
  };
  const keyName = seen.value?.keys.find(({ id }) => id === query.get("key"))?.name ?? null;
  return (
    <search class="card padded">
      <details class="folded" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Filters{given > 0 && ` (${given} in use)`}</summary>
        <Form class="filters" onSubmit={search} onFocusIn={() => setIsUsed(true)}>
          {seen.value !== undefined && <Suggestions values={seen.value} />}
          <div class="filter-grid">
            {TEXT_FILTERS.map(({ name, label, placeholder, ...more }) => (
              <Field
                key={name}
                {...{ name, label, placeholder }}
                defaultValue={query.get(name) ?? ""}
                list={"suggests" in more ? suggestionsId(more.suggests) : undefined}
              >
                {name === "key" && unknownKey !== undefined && (
                  <small class="bad-figure" role="alert">
                    No recent request is of a key called <Plain text={unknownKey} />.
                  </small>
                )}
                {name === "key" && unknownKey === undefined && keyName !== null && (
                  <small class="muted">
                    <Plain text={keyName} />
                  </small>
                )}
              </Field>
            ))}
            {CHOICE_FILTERS.map(({ name, label, values }) => (
              <label key={name} class="field">
                <span>{label}</span>
                <select class="input" name={name} defaultValue={query.get(name) ?? ""}>
                  <option value="">any</option>
                  {values.map((value) => (
                    <option key={value} value={value} selected={query.get(name) === value}>
                      {value}
                    </option>
                  ))}
                </select>
              </label>
            ))}
            {DATE_FILTERS.map(({ name, label }) => (
              <Field
                key={name}
                {...{ name, label, type: "datetime-local", step: 1 }}
                defaultValue={localInput(query.get(name), "second")}
              />
            ))}
            <TagFilters query={query} />
          </div>
          <div class="row">
            <Button look="primary" type="submit">
              Search
            </Button>
            <Button onClick={() => onChange(new URLSearchParams())}>Clear</Button>
          </div>
        </Form>
      </details>
    </search>
  );
}

/** Whether the whole form leaves room for the list. */
const hasRoom = (): boolean => matchMedia("(min-width: 861px)").matches;

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
      <Button look="quiet slim" onClick={() => setMore(more + 1)}>
        <Icon name="plus" /> Add
      </Button>
    </fieldset>
  );
}

const LISTS = ["models", "providers", "sources", "error_codes", "metadata_keys"] as const;
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
