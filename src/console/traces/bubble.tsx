import type { ComponentChildren } from "preact";
import type { TracedMessage } from "../api/traces.js";
import { count } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TextBody } from "./text-body.js";

/** Shown of a message at first. */
const FIRST_CHARACTERS = 2000;

const NAMES: Readonly<Record<TracedMessage["role"], string>> = {
  system: "System",
  developer: "Developer",
  user: "User",
  assistant: "Assistant",
  tool: "Tool result",
};

interface BubbleProps {
  readonly message: TracedMessage;
  /** Beside the role. */
  readonly note?: ComponentChildren;
  /** Shown in the place of a text that there is not. */
  readonly silence?: string;
}

/** One message: users on the right, everybody else on the left; results of tools, reasoning and tool calls are folded. */
export function Bubble({
  message: { role, text, reasoning, tool_calls: calls },
  note,
  silence = "Empty.",
}: BubbleProps) {
  const isSilent = text === "" && calls.length === 0 && reasoning === null;
  return (
    <li class={`bubble ${role}`}>
      <p class="bubble-head">
        <strong>{NAMES[role]}</strong> {note !== undefined && <span class="muted small">{note}</span>}
      </p>
      {reasoning !== null && <Folded title="Reasoning" text={reasoning} />}
      {role === "tool" ? (
        <Folded title="Result" text={text} />
      ) : (
        text !== "" && <TextBody text={text} characters={FIRST_CHARACTERS} />
      )}
      {calls.map((call, at) => (
        <Folded key={`${at}`} title={<ToolCall name={call.name} />} text={call.arguments} />
      ))}
      {isSilent && <p class="muted">{silence}</p>}
    </li>
  );
}

const ToolCall = ({ name }: { readonly name: string }) => (
  <>
    Calls{" "}
    <code>
      <Plain text={name} />
    </code>
  </>
);

interface FoldedProps {
  readonly title: ComponentChildren;
  readonly text: string;
}

const Folded = ({ title, text }: FoldedProps) => (
  <details class="folded">
    <summary>
      {title} <span class="muted small number">{count(text.length)} characters</span>
    </summary>
    {text === "" ? <p class="muted">Empty.</p> : <TextBody text={text} characters={FIRST_CHARACTERS} />}
  </details>
);
