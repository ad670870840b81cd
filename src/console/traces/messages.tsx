import { useState } from "preact/hooks";
import type { Trace } from "../api/traces.js";
import { CopyButton } from "../components/controls.js";
import { count } from "../components/format.js";
import { Section } from "../components/page.js";
import { Notice } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { TextBody } from "../components/text-body.js";
import { Bubble } from "./bubble.js";

/** Prompt and answer, message by message. */
export function Messages({ trace }: { readonly trace: Trace }) {
  const { messages, answer } = trace;
  if (messages === undefined || answer === undefined) {
    return <Notice kind="info">Prompt and answer were not stored (SEXTANT_TRACE_CONTENT=false).</Notice>;
  }
  const isDecisionAlone = trace.kind === "router" && trace.attempts.length === 0;
  return (
    <Section title="Prompt and answer">
      <ol class="bubbles">
        {messages.map((message, at) => (
          <Bubble key={`${at}`} message={message} />
        ))}
        {isDecisionAlone ? (
          <li class="muted small bubble-note">Decision only: no model was called.</li>
        ) : (
          <Bubble
            message={answer}
            note={<AnswerNote trace={trace} />}
            silence={trace.error === null ? "No text." : "No answer."}
          />
        )}
      </ol>
      <AsStored trace={trace} />
    </Section>
  );
}

function AsStored({ trace }: { readonly trace: Trace }) {
  const { input_text: input = "", output_text: output = "", reasoning_text: reasoning } = trace;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="folded" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As stored</summary>
      {isOpen && (
        <div class="texts">
          <LongText title="Last user message" text={input} />
          {reasoning !== undefined && <LongText title="Reasoning" text={reasoning} />}
          <LongText title="Answer" text={output} />
        </div>
      )}
    </details>
  );
}

/** Who answered, and how much it thought: many providers count reasoning that they do not send. */
function AnswerNote({ trace }: { readonly trace: Trace }) {
  const { model, finish_reason: finish, usage, answer } = trace;
  const details = usage?.completion_tokens_details;
  const thought =
    typeof details === "object" && details !== null && "reasoning_tokens" in details
      ? Number(details.reasoning_tokens)
      : 0;
  return (
    <>
      {model !== null && <Plain text={model} />}
      {finish !== null && (
        <>
          {" "}
          · <Plain text={finish} />
        </>
      )}
      {thought > 0 && ` · ${count(thought)} tokens of reasoning`}
      {thought > 0 && answer?.reasoning === null && ", not sent by the provider"}
    </>
  );
}

/** Shown at first: a few screens. */
const FIRST_CHARACTERS = 20_000;

interface LongTextProps {
  readonly title: string;
  readonly text: string;
}

/** A text as a trace has it. */
function LongText({ title, text }: LongTextProps) {
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
