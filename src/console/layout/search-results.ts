import type { ListedKeyBody } from "../../gateway/api/keys.js";
import type { TraceValuesBody } from "../../gateway/api/traces/trace-values.js";

/** Where something is that a search found. */
export interface SearchResult {
  readonly kind: string;
  readonly text: string;
  /** Below the console. */
  readonly href: string;
}

/** What is known by name; keys and values are undefined while they are on their way. */
export interface Searched {
  readonly pages: readonly { readonly title: string; readonly path: string }[];
  readonly keys: readonly Pick<ListedKeyBody, "id" | "name">[] | undefined;
  readonly values: TraceValuesBody | undefined;
}

/** Results of one kind. */
const MOST_OF_A_KIND = 5;

/**
 * Pages, keys, models, providers, sources and error codes whose name has the text in any case, then the requests of a text:
 * the one with this id, those with this metadata value, and those whose prompt or answer contains it. Nothing for no text.
 */
export function searchResults(text: string, { pages, keys, values }: Searched): readonly SearchResult[] {
  const wanted = text.trim();
  if (wanted === "") return [];
  const isFound = (name: string): boolean => name.toLowerCase().includes(wanted.toLowerCase());
  const traces = (filter: string, value: string): string =>
    `/traces?${new URLSearchParams({ [filter]: value })}`;
  const named = (kind: string, filter: string, names: readonly string[] = []): readonly SearchResult[] =>
    names
      .filter(isFound)
      .slice(0, MOST_OF_A_KIND)
      .map((name) => ({ kind, text: name, href: traces(filter, name) }));
  return [
    ...(/^req_/.test(wanted)
      ? [{ kind: "Request", text: wanted, href: `/traces/${encodeURIComponent(wanted)}` }]
      : []),
    ...pages
      .filter(({ title }) => isFound(title))
      .map(({ title, path }) => ({ kind: "Page", text: title, href: path })),
    ...(keys ?? [])
      .filter(({ id, name }) => isFound(name) || isFound(id))
      .slice(0, MOST_OF_A_KIND)
      .map(({ id, name }) => ({ kind: "Key", text: name, href: `/keys/${id}` })),
    ...named("Model", "model_id", values?.models),
    ...named("Provider", "provider", values?.providers),
    ...named("Source", "source", values?.sources),
    ...named("Error code", "error_code", values?.error_codes),
    ...(values?.metadata_keys ?? []).slice(0, MOST_OF_A_KIND).map((key) => ({
      kind: "Conversation",
      text: `${key} = ${wanted}`,
      href: `/conversation?${new URLSearchParams({ [`metadata.${key}`]: wanted })}`,
    })),
    { kind: "Traces", text: `prompt or answer contains “${wanted}”`, href: traces("q", wanted) },
  ];
}
