import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { listKeys } from "../api/keys.js";
import { traceValues } from "../api/traces.js";
import { Button, Icon } from "../components/controls.js";
import { Dialog } from "../components/dialog.js";
import { Link } from "../components/link.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { PAGES } from "./pages.js";
import { searchResults } from "./search-results.js";

const isOpen = signal(false);

function setOpen(next: boolean): void {
  isOpen.value = next;
}

export const SearchButton = () => (
  <Button look="search-button" onClick={() => setOpen(true)}>
    <Icon name="search" /> Find <kbd>{IS_APPLE ? "⌘K" : "Ctrl K"}</kbd>
  </Button>
);

/** One field for everything that has a name or an id, opened by its button, ⌘K or Ctrl+K; another address closes it. */
export function Search() {
  const [path] = useLocation();
  const query = useSearch();
  useEffect(() => {
    const openOnKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", openOnKey);
    return () => document.removeEventListener("keydown", openOnKey);
  }, []);
  useEffect(() => () => setOpen(false), [path, query]);
  return isOpen.value ? <SearchDialog onClose={() => setOpen(false)} /> : null;
}

const IS_APPLE = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

/** Enter opens the first result; arrows move among them. */
function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const keys = useResource("keys", (signal) => listKeys(signal));
  const values = useResource("values", traceValues);
  const results = searchResults(text, { pages: PAGES, keys: keys.value, values: values.value });
  const links = (): readonly HTMLElement[] => [...(list.current?.querySelectorAll("a") ?? [])];
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) links()[0]?.click();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    links()[links().indexOf(event.target as HTMLElement) + step]?.focus();
  };
  return (
    <Dialog title="Find" onClose={onClose}>
      <search class="stack" onKeyDown={move}>
        <input
          class="input"
          type="search"
          autofocus
          aria-label="Request id, key, model, provider, source, error code, metadata or text"
          placeholder="Request id or message with one, key, model, source, metadata, text"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <ul class="search-results" ref={list} aria-label="Results">
          {results.map(({ kind, text: found, href }) => (
            <li key={`${kind} ${href}`}>
              <Link href={href}>
                <span class="muted small">{kind}</span> <Plain text={found} />
              </Link>
            </li>
          ))}
        </ul>
      </search>
    </Dialog>
  );
}
