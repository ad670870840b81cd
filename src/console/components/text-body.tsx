import { useState } from "preact/hooks";
import { chunksOf } from "./chunks.js";
import { Button } from "./controls.js";
import { count } from "./format.js";
import { Plain } from "./text.js";

interface TextBodyProps {
  readonly text: string;
  /** Shown at first. */
  readonly characters: number;
}

/** A text as it is, however long: never as markup, and the rest of a long one on demand. */
export function TextBody({ text, characters }: TextBodyProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > characters;
  const chunks = chunksOf(isLong && !isWhole ? text.slice(0, characters) : text);
  return (
    <>
      <pre class="long-text" dir="auto">
        {chunks.map((chunk, at) => (
          <span key={`${at}`} class={chunks.length > 1 ? "chunk" : "only-chunk"}>
            <Plain text={chunk} />
          </span>
        ))}
      </pre>
      {isLong && (
        <Button look="slim show-all" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show the beginning only" : `Show all ${count(text.length)} characters`}
        </Button>
      )}
    </>
  );
}
