import type { TraceValues } from "../api/traces.js";

const LISTS = ["models", "providers", "sources", "error_codes", "metadata_keys"] as const;
type ListName = (typeof LISTS)[number] | "keys";

/** Of the list that an input names in `list`. */
export const suggestionsId = (name: ListName): string => `seen-${name}`;

/** What the newest traces have, for the inputs of the filters. */
export const Suggestions = ({ values }: { readonly values: TraceValues }) => (
  <>
    {LISTS.map((name) => (
      <datalist key={name} id={suggestionsId(name)}>
        {values[name].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    ))}
    <datalist id={suggestionsId("keys")}>
      {values.keys.map(({ id, name }) => (
        <option key={id} value={id} label={name ?? undefined} />
      ))}
    </datalist>
  </>
);
