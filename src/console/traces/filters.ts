import { KINDS, STATUSES } from "../api/traces.js";

/** The filters of the page are those of the API, under its names: an address of one can be made into one of the other. */
export const TEXT_FILTERS = [
  { name: "q", label: "Prompt or answer contains", placeholder: "case-sensitive text" },
  { name: "model_id", label: "Model", placeholder: "gpt-5.4-mini" },
  { name: "provider", label: "Provider", placeholder: "openai" },
  { name: "source", label: "Source", placeholder: "billing" },
  { name: "key", label: "Key", placeholder: "key_…" },
  { name: "error_code", label: "Error code", placeholder: "upstream_error" },
] as const;

export const CHOICE_FILTERS = [
  { name: "status", label: "Status", values: STATUSES },
  { name: "kind", label: "Kind", values: KINDS },
  { name: "has_feedback", label: "Has feedback", values: ["true", "false"] },
] as const;

export const DATE_FILTERS = [
  { name: "start_date", label: "From (UTC)" },
  { name: "end_date", label: "Until (UTC)" },
] as const;

export const METADATA = "metadata.";
export const PAGE_SIZE = 50;

/** What the API is asked for an address of the page. */
export function apiQuery(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams([...query].filter(([, value]) => value !== ""));
  if (!asked.has("limit")) asked.set("limit", String(PAGE_SIZE));
  return asked;
}

/** The address for what a form says; the page begins anew. */
export function queryFromForm(form: FormData): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of form) {
    if (typeof value !== "string" || value === "" || name.startsWith("tag-")) continue;
    query.append(name, value);
  }
  const [keys, values] = [form.getAll("tag-key"), form.getAll("tag-value")];
  keys.forEach((key, at) => {
    if (key !== "") query.append(`${METADATA}${String(key)}`, String(values[at] ?? ""));
  });
  return query;
}

/** The tags in an address. */
export const tagsIn = (query: URLSearchParams): readonly (readonly [key: string, value: string])[] =>
  [...query]
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value]);
