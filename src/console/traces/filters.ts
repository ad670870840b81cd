import { KINDS, SORTS, type Sort, STATUSES } from "../api/names.js";
import { RANGE_NAMES, rangeNamed, startOf } from "../charts/ranges.js";
import { localInput } from "../components/format.js";

interface Filter {
  readonly name: string;
  readonly label: string;
  /** `date`: of the time here; the address has it in UTC. */
  readonly kind?: "date";
  readonly placeholder?: string;
  /** Which of the values seen lately are suggestions. */
  readonly suggests?: "models" | "providers" | "sources" | "keys" | "error_codes" | "efforts";
  /** The values that there are, each with its text. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
}

const yesOrNo = (yes: string, no: string) => [["true", yes] as const, ["false", no] as const];
const asThemselves = (values: readonly string[]) => values.map((value) => [value, value] as const);

/** The filters of the page are those of the API, under its names: an address of one can be made into one of the other. */
export const FILTERS: readonly Filter[] = [
  { name: "q", label: "Prompt or answer", placeholder: "text" },
  { name: "model_contains", label: "Model", placeholder: "part of a name", suggests: "models" },
  { name: "key", label: "Key", placeholder: "name or key_…", suggests: "keys" },
  { name: "status", label: "Status", choices: asThemselves(STATUSES) },
  { name: "model_id", label: "Answered by", placeholder: "gpt-5.4-mini", suggests: "models" },
  { name: "requested_model", label: "Asked for", placeholder: "auto", suggests: "models" },
  { name: "provider", label: "Provider", placeholder: "openai", suggests: "providers" },
  { name: "source", label: "Source", placeholder: "billing", suggests: "sources" },
  { name: "kind", label: "Kind", choices: asThemselves(KINDS) },
  { name: "executed", label: "Execution", choices: yesOrNo("executed", "decision only") },
  { name: "error_code", label: "Error code", placeholder: "upstream_error", suggests: "error_codes" },
  { name: "attempt_code", label: "Attempt error", placeholder: "rate_limited" },
  { name: "has_feedback", label: "Feedback", choices: yesOrNo("given", "not given") },
  { name: "effort", label: "Effort", placeholder: "high", suggests: "efforts" },
  { name: "other_model", label: "Served model", choices: yesOrNo("other model", "as requested") },
  { name: "tool_loop", label: "Tool loop", choices: asThemselves(["running", "stuck"]) },
  { name: "start_date", label: "From", kind: "date" },
  { name: "end_date", label: "Until", kind: "date" },
];

export const METADATA = "metadata.";
export const PAGE_SIZE = 50;

/** Beside the ranges: without a beginning. */
export const ALL_TIME = "all";

/** Parameters of the page alone, and those of the API that are no filters. */
const OF_THE_PAGE = ["range", "live", "open"];
const OF_THE_LIST = ["limit", "offset", "sort", "order"];

/** The range of time that an address names; null when it has dates of its own. */
export function rangeIn(query: URLSearchParams): string | null {
  if (query.has("start_date") || query.has("end_date")) return null;
  return RANGE_NAMES.find((name) => name === query.get("range")) ?? ALL_TIME;
}

/** Without the parameters of a page and of an order: those that an export takes too. */
export function apiFilters(query: URLSearchParams, nowMs: number): URLSearchParams {
  const others = [...OF_THE_PAGE, ...OF_THE_LIST];
  const filters = new URLSearchParams(
    [...query].filter(([name, value]) => value !== "" && !others.includes(name)),
  );
  const range = rangeIn(query);
  if (range !== null && range !== ALL_TIME) {
    const { lengthMs } = rangeNamed(range);
    const startMs = range === "month" ? startOf(rangeNamed(range), nowMs) : nowMs - lengthMs;
    filters.set("start_date", new Date(startMs).toISOString());
  }
  return filters;
}

/** What the API is asked for an address of the page. */
export function apiQuery(query: URLSearchParams, nowMs: number): URLSearchParams {
  const asked = apiFilters(query, nowMs);
  for (const name of OF_THE_LIST) {
    const value = query.get(name);
    if (value !== null && value !== "") asked.set(name, value);
  }
  if (!asked.has("limit")) asked.set("limit", String(PAGE_SIZE));
  return asked;
}

export const isFiltered = (query: URLSearchParams): boolean => [...apiFilters(query, 0).keys()].length > 0;

const dateNames = FILTERS.flatMap(({ name, kind }) => (kind === "date" ? name : []));

/** A filter that is set, as a form would show it. */
export interface SetFilter {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly text: string;
}

/** The filters in an address, those of metadata last. */
export function setFilters(query: URLSearchParams): readonly SetFilter[] {
  const named = FILTERS.flatMap(({ name, label, kind, choices = [] }) =>
    query.getAll(name).flatMap((value) => {
      if (value === "") return [];
      const choice = choices.find(([known]) => known === value)?.[1];
      const text = choice ?? (kind === "date" ? localInput(value, "second").replace("T", " ") : value);
      return [{ name, value, label, text }];
    }),
  );
  const tags = tagsIn(query).map(([key, value]) => ({
    name: `${METADATA}${key}`,
    value,
    label: key,
    text: value,
  }));
  return [...named, ...tags];
}

/** The address without one of its filters, from its first page. */
export const withoutFilter = (
  query: URLSearchParams,
  { name, value }: Pick<SetFilter, "name" | "value">,
): URLSearchParams =>
  new URLSearchParams(
    [...query].filter(([given, of]) => given !== "offset" && (given !== name || of !== value)),
  );

/** The address with these filters in the place of those of the same names, from its first page; metadata and keys come beside others. */
export function withFilters(
  query: URLSearchParams,
  filters: readonly (readonly [name: string, value: string])[],
): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete("offset");
  for (const [name, value] of filters) {
    if (!name.startsWith(METADATA) && name !== "key") next.delete(name);
    if (dateNames.includes(name)) next.delete("range");
    if (value !== "") next.append(name, dateNames.includes(name) ? utcOf(value) : value);
  }
  return next;
}

interface NamedKey {
  readonly id: string;
  readonly name: string | null;
}

/** The keys that a text means: by an id, or the subject of a token; else all whose name contains it, in any case. */
export function keyIdsOf(text: string, keys: readonly NamedKey[]): readonly string[] {
  if (/^(key_|jwt:)/.test(text) || keys.some(({ id }) => id === text)) return [text];
  const wanted = text.toLowerCase();
  return keys.flatMap(({ id, name }) => (name?.toLowerCase().includes(wanted) ? id : []));
}

/** @param local as an input for local time has it */
const utcOf = (local: string): string => new Date(local).toISOString();

/** The tags in an address. */
export const tagsIn = (query: URLSearchParams): readonly (readonly [key: string, value: string])[] =>
  [...query]
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value]);

export interface SortOrder {
  readonly sort: Sort;
  readonly order: "desc" | "asc";
}

const NEWEST_FIRST: SortOrder = { sort: "created_at", order: "desc" };

export const orderIn = (query: URLSearchParams): SortOrder => ({
  sort: SORTS.find((name) => name === query.get("sort")) ?? NEWEST_FIRST.sort,
  order: query.get("order") === "asc" ? "asc" : "desc",
});

/** The address in another order, from its first page and without the tail, which only shows the newest. */
export function inOrder(query: URLSearchParams, { sort, order }: SortOrder): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const name of ["offset", "live", "sort", "order"]) next.delete(name);
  if (sort !== NEWEST_FIRST.sort) next.set("sort", sort);
  if (order !== NEWEST_FIRST.order) next.set("order", order);
  return next;
}

/** The address of another range of time, from its first page. */
export function inRange(query: URLSearchParams, range: string): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const name of ["offset", "start_date", "end_date", "range"]) next.delete(name);
  if (range !== ALL_TIME) next.set("range", range);
  return next;
}

/** The address with the newest traces as they come, or without. */
export function withTail(query: URLSearchParams, isLive: boolean): URLSearchParams {
  const next = inOrder(query, NEWEST_FIRST);
  if (isLive) next.set("live", "1");
  return next;
}
