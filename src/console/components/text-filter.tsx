import { useQuery } from "./use-query.js";

interface TextFilterProps {
  /** For screen readers. */
  readonly label: string;
  readonly placeholder: string;
}

/** Narrows what the page shows by a text, which is `q` in the address. */
export function TextFilter({ label, placeholder }: TextFilterProps) {
  const [query, change] = useQuery();
  return (
    <input
      class="input filter"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={query.get("q") ?? ""}
      onInput={({ currentTarget: { value } }) => change({ q: value })}
    />
  );
}
