import { useEffect } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { Button, Icon } from "../components/controls.js";
import { isDialogKept, isDialogOpen } from "../components/dialog.js";
import { lazily } from "../components/lazily.js";
import { overlay, show } from "../components/overlay.js";

const SearchDialog = lazily(null, async () => (await import("./search-dialog.js")).SearchDialog);

/** Each time another: the last one may still be closing. */
const openSearch = (): void => show(<SearchDialog key={performance.now()} />);

export const SearchButton = () => (
  <Button look="search-button" onClick={openSearch}>
    <Icon name="search" /> Find <kbd>{IS_APPLE ? "⌘K" : "Ctrl K"}</kbd>
  </Button>
);

const IS_APPLE = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

/** What is open over the page: the search after ⌘K or Ctrl+K, or what was chosen there. Another address closes what Escape would. */
export function Overlay() {
  const [path] = useLocation();
  const query = useSearch();
  useEffect(() => {
    const openOnKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      if (!isDialogOpen()) openSearch();
    };
    document.addEventListener("keydown", openOnKey);
    return () => document.removeEventListener("keydown", openOnKey);
  }, []);
  useEffect(() => () => void (isDialogKept() || show(null)), [path, query]);
  return overlay.value;
}
