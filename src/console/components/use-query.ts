import { useSearchParams } from "wouter-preact";

type Values = Readonly<Record<string, string | readonly string[] | null>>;

/**
 * The state that a page has in its address, and a function that changes some of it.
 *
 * Null, the empty text and the empty list take a name out. The entry of the browser's history is replaced, or a new one added, so that the
 * browser goes back to the one before.
 */
export function useQuery(): readonly [
  query: URLSearchParams,
  change: (values: Values, history?: "replace" | "add") => void,
] {
  const [query, setQuery] = useSearchParams();
  const change = (values: Values, history: "replace" | "add" = "replace"): void =>
    setQuery(
      (last) => {
        for (const [name, value] of Object.entries(values)) {
          last.delete(name);
          for (const one of [value ?? []].flat()) if (one !== "") last.append(name, one);
        }
        return last;
      },
      { replace: history === "replace" },
    );
  return [query, change];
}
