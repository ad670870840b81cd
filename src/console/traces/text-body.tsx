import { useState } from "preact/hooks";
import { count } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { chunksOf } from "./chunks.js";

interface TextBodyProps {
  readonly text: string;
  /** Shown at first. */
  readonly characters: number;
  readonly look: "stored" | "message";
}

/** A text as it is, however long: never as markup, and the rest of a long one on demand. */
export function TextBody({ text, characters, look }: TextBodyProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > characters;
  const chunks = chunksOf(isLong && !isWhole ? text.slice(0, characters) : text);
  return (
    <>
      <pre class={`long-text ${look}`} dir="auto">
        {chunks.map((chunk, at) => (
          <span key={`${at}`} class={chunks.length > 1 ? "chunk" : "only-chunk"}>
            <Plain text={chunk} />
          </span>
        ))}
      </pre>
      {isLong && (
        <button class="button slim show-all" type="button" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show the beginning only" : `Show all ${count(text.length)} characters`}
        </button>
      )}
    </>
  );
}
