import { useState } from "preact/hooks";
import { CopyButton } from "../components/copy-button.js";
import { count } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { ScrollArea } from "../components/scroll-area.js";
import { chunksOf } from "./chunks.js";

/** Shown at first: a few screens. */
const FIRST_CHARACTERS = 20_000;

interface LongTextProps {
  readonly title: string;
  readonly text: string;
}

/** A text as it is, however long: never as markup, and the rest of a long one on demand. */
export function LongText({ title, text }: LongTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = text.length > FIRST_CHARACTERS && !isWhole;
  const chunks = chunksOf(isCut ? text.slice(0, FIRST_CHARACTERS) : text);
  const id = `text-${title.toLowerCase()}`;
  return (
    <section class="card padded stack text-card" aria-labelledby={id}>
      <div class="text-head">
        <h2 id={id}>
          {title} <span class="muted small number">{count(text.length)} characters</span>
        </h2>
        <CopyButton text={text} />
      </div>
      {text === "" ? (
        <p class="muted">Empty.</p>
      ) : (
        <ScrollArea label={`Text of the ${title.toLowerCase()}`} class="long-text-frame">
          <pre class="long-text" dir="auto">
            {chunks.map((chunk, at) => (
              <span key={`${at}`} class={chunks.length > 1 ? "chunk" : "only-chunk"}>
                <Plain text={chunk} />
              </span>
            ))}
          </pre>
        </ScrollArea>
      )}
      {isCut && (
        <button class="button slim show-all" type="button" onClick={() => setIsWhole(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </section>
  );
}
