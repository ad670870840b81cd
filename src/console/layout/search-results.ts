import type { AdminTraceListBody } from "../../gateway/features/traces/schema/trace.js";
import type { TraceValuesBody } from "../../gateway/features/traces/schema/trace-values.js";
import { count } from "../components/format.js";
import { namesConversation } from "../traces/conversation-tag.js";

/** What all traces have of a text. */
export interface FoundText
  extends Pick<AdminTraceListBody, "total">,
    Pick<TraceValuesBody, "metadata" | "request_ids"> {
  /** In whose prompt or answer it is, the newest. */
  readonly traces: readonly Pick<AdminTraceListBody["traces"][number], "request_id" | "input_start">[];
}

/** What the search offers: a whole address or something to do, and by which text it is found beside its own. */
export type SearchEntry = readonly [group: string, text: string, to: string | (() => void), also?: string];

const MOST_OF_A_GROUP = 9;

/** The time and the random part of every id that the gateway makes: of a request, and of the answer to it. */
const ULID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/i;

/** Fewer characters at the end of ids are those of many. */
const LEAST_OF_AN_ID = 6;

/** The request that a text names: by its id, with or without the prefix, by that of its answer, or somewhere in a message. */
function requestIdIn(text: string): string | undefined {
  if (/^req_\S+$/.test(text)) return text;
  const found = /(?:^|[^0-9a-z]|req_)([0-9a-z]{26})(?![0-9a-z])/i.exec(text)?.[1];
  return found !== undefined && ULID.test(found) ? `req_${found.toUpperCase()}` : undefined;
}

const traces = (query: Readonly<Record<string, string>>, page = "/traces"): string =>
  `/console${page}?${new URLSearchParams(query)}`;

const request = (id: string, text: string): SearchEntry => [
  "Requests",
  text,
  `/console/traces/${encodeURIComponent(id)}`,
];

/** A metadata value; as a conversation where its key says that it is one. */
const tag = ({ key, value }: TraceValuesBody["metadata"][number]): SearchEntry => {
  const page = namesConversation(key) ? "/conversation" : "/traces";
  const to = traces({ [`metadata.${key}`]: value }, page);
  return ["Metadata", `${key} = ${value}`, to, `${value} ${key}=${value}`];
};

const FILTERS = [
  ["Models", "models", "model_id"],
  ["Providers", "providers", "provider"],
  ["Sources", "sources", "source"],
  ["Error codes", "error_codes", "error_code"],
] as const;

/** What the newest requests can be filtered and split by. */
export const valueEntries = (values: TraceValuesBody): readonly SearchEntry[] => [
  ...FILTERS.flatMap(([group, member, filter]) =>
    values[member].map((name): SearchEntry => [group, name, traces({ [filter]: name })]),
  ),
  ...values.metadata_keys.map(
    (key): SearchEntry => ["Spend", `Spend by ${key}`, traces({ by: `metadata.${key}` }, "/")],
  ),
];

/**
 * What the search offers for a text, group by group: what begins with the text, then the requests that have it, then everything else.
 * Only what exists is offered; for no text, what can be done without one.
 *
 * @param found what all traces have of the text; undefined while it is not known
 */
export function searchResults(
  text: string,
  { entries, found }: { readonly entries: readonly SearchEntry[]; readonly found: FoundText | undefined },
): readonly SearchEntry[] {
  const given = text.trim();
  const wanted = given.toLowerCase();
  if (wanted === "") return grouped(entries.filter(([group]) => group === "Pages" || group === "Actions"));
  const words = wanted.split(/\s+/);
  const named = [...(found?.metadata ?? []).map(tag), ...entries].filter(([, name, , also = ""]) =>
    words.every((word) => `${name} ${also}`.toLowerCase().includes(word)),
  );
  const begins = ([, ...names]: SearchEntry): boolean =>
    names.some((name) => typeof name === "string" && name.toLowerCase().startsWith(wanted));
  const ends = wanted.length < LEAST_OF_AN_ID ? [] : (found?.request_ids ?? []);
  const ids = new Set([requestIdIn(given) ?? [], ends].flat());
  const { traces: some = [], total = 0 } = found ?? {};
  return grouped([
    ...[...ids].map((id) => request(id, id)),
    ...named.filter(begins),
    ...some.map(({ request_id: id, input_start: start }) => request(id, start ?? id)),
    ...(total > 0
      ? [["Requests", `All ${count(total)} requests with “${given}”`, traces({ q: given })] as const]
      : []),
    ...named.filter((entry) => !begins(entry)),
  ]);
}

/** Those of a group beside each other, not more than a few. */
const grouped = (entries: readonly SearchEntry[]): readonly SearchEntry[] =>
  [...new Set(entries.map(([group]) => group))].flatMap((name) =>
    entries.filter(([group]) => group === name).slice(0, MOST_OF_A_GROUP),
  );
