import type { Trace } from "../api/traces.js";
import { CopyButton } from "../components/controls.js";
import { count } from "../components/format.js";
import { Section } from "../components/page.js";
import { Notice } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { Bubble } from "./bubble.js";
import { withResults } from "./tool-calls.js";

/** Prompt and answer, message by message. */
export function Messages({ trace }: { readonly trace: Trace }) {
  const { messages, answer } = trace;
  if (messages === undefined || answer === undefined) {
    return <Notice kind="info">Prompt and answer were not stored (SEXTANT_TRACE_CONTENT=false).</Notice>;
  }
  const isDecisionAlone = trace.kind === "router" && trace.attempts.length === 0;
  return (
    <Section
      title="Prompt and answer"
      actions={<CopyButton text={JSON.stringify([...messages, answer], null, 1)} label="Copy as JSON" />}
    >
      <ol class="bubbles">
        {withResults(messages.map((message) => ({ message }))).map((said, at) => (
          <Bubble key={`${at}`} said={said} />
        ))}
        {isDecisionAlone ? (
          <li class="muted small bubble-note">Decision only: no model was called.</li>
        ) : (
          withResults([{ message: answer }]).map((said) => (
            <Bubble
              key="answer"
              said={said}
              note={<AnswerNote trace={trace} />}
              silence={trace.error === null ? "No text." : "No answer."}
            />
          ))
        )}
      </ol>
    </Section>
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
  const unsent = answer?.reasoning === null ? ", not sent by the provider" : "";
  const notes = [model, finish, thought > 0 && `${count(thought)} tokens of reasoning${unsent}`];
  return <Plain text={notes.filter(Boolean).join(" · ")} />;
}
