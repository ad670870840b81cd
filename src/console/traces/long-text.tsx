import { CopyButton } from "../components/copy-button.js";
import { count } from "../components/format.js";
import { TextBody } from "./text-body.js";

/** Shown at first: a few screens. */
const FIRST_CHARACTERS = 20_000;

interface LongTextProps {
  readonly title: string;
  readonly text: string;
}

/** A text as a trace has it. */
export function LongText({ title, text }: LongTextProps) {
  const id = `text-${title.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <section class="stack text-card" aria-labelledby={id}>
      <div class="text-head">
        <h3 id={id}>
          {title} <span class="muted small number">{count(text.length)} characters</span>
        </h3>
        <CopyButton text={text} />
      </div>
      {text === "" ? (
        <p class="muted">Empty.</p>
      ) : (
        <TextBody text={text} characters={FIRST_CHARACTERS} frame={`Text of the ${title.toLowerCase()}`} />
      )}
    </section>
  );
}
