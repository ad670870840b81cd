import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.js";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

const SHOWN_MS = 2000;

/** Left out where the browser gives no access to the clipboard, as over plain HTTP: the text can be selected. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      class="button slim"
      type="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      <Icon name={done ? "check" : "copy"} />
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </button>
  );
}
