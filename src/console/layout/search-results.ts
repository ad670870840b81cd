import type { ListedKeyBody } from "../../gateway/features/keys/schema.js";
import type { TraceValuesBody } from "../../gateway/features/traces/schema/trace-values.js";

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

/** The time and the random part of every id that the gateway makes: of a request, and of the answer to it. */
const ULID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/i;

/** The request that a text names: by its id, with or without the prefix, by that of its answer, or somewhere in a message. */
function requestIdIn(text: string): string | undefined {
  if (/^req_\S+$/.test(text)) return text;
  const found = /(?:^|[^0-9a-z]|req_)([0-9a-z]{26})(?![0-9a-z])/i.exec(text)?.[1];
  return found !== undefined && ULID.test(found) ? `req_${found.toUpperCase()}` : undefined;
}

/**
 * The request that a text names; pages, keys, models, providers, sources, error codes, metadata values and keys whose name has
 * it in any case; then the requests whose prompt or answer contains it. Nothing for no text.
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
  const requestId = requestIdIn(wanted);
  return [
    ...(requestId === undefined
      ? []
      : [{ kind: "Request", text: requestId, href: `/traces/${encodeURIComponent(requestId)}` }]),
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
    ...(values?.metadata ?? [])
      .filter(
        ({ key, value }) => isFound(value) || isFound(`${key}=${value}`) || isFound(`${key} = ${value}`),
      )
      .slice(0, MOST_OF_A_KIND)
      .map(({ key, value }) => ({
        kind: "Metadata",
        text: `${key} = ${value}`,
        href: traces(`metadata.${key}`, value),
      })),
    ...(values?.metadata_keys ?? [])
      .filter(isFound)
      .slice(0, MOST_OF_A_KIND)
      .map((key) => ({
        kind: "Spend",
        text: `by ${key}`,
        href: `/?${new URLSearchParams({ by: `metadata.${key}` })}`,
      })),
    { kind: "Traces", text: `prompt or answer contains “${wanted}”`, href: traces("q", wanted) },
  ];
}
