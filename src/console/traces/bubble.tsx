import type { ComponentChildren } from "preact";
import type { TracedAnswer, TracedMessage } from "../api/traces.js";
import { count } from "../components/format.js";
import { Plain } from "../components/text.js";
import { TextBody } from "../components/text-body.js";

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
  readonly message: TracedMessage | TracedAnswer;
  /** Beside the role. */
  readonly note?: ComponentChildren;
  /** Shown in the place of a text that there is not. */
  readonly silence?: string;
}

/** One message: users on the right, others on the left; results of tools, reasoning and tool calls are folded. */
export function Bubble({ message, note, silence = "Empty." }: BubbleProps) {
  const { role, text, reasoning, calls, attachments } = shown(message);
  const isSilent = text === "" && calls.length + attachments.length === 0 && reasoning === null;
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
      {attachments.map((attachment, at) => (
        <p key={`${at}`} class="muted small">
          <Plain text={attachmentText(attachment)} />
        </p>
      ))}
      {calls.map((call, at) => (
        <Folded key={`${at}`} title={<ToolCall name={call.name} />} text={call.arguments} />
      ))}
      {isSilent && <p class="muted">{silence}</p>}
    </li>
  );
}

interface Shown extends Pick<TracedMessage, "role"> {
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: TracedAnswer["tool_calls"];
  readonly attachments: readonly Attachment[];
}

type Part = Exclude<TracedMessage["content"], string | null>[number];
type Attachment = Extract<Part, { bytes: unknown }>;

function shown(message: TracedMessage | TracedAnswer): Shown {
  if ("text" in message) return { ...message, calls: message.tool_calls, attachments: [] };
  const { role, content, reasoning = null, refusal, tool_calls: calls = [] } = message;
  const parts: readonly Part[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const texts = parts.flatMap((part) => ("text" in part ? part.text : "refusal" in part ? part.refusal : []));
  return {
    role,
    text: [...texts, refusal ?? ""].filter((text) => text !== "").join("\n"),
    reasoning,
    calls: calls.map(({ function: called, custom }) => ({
      name: called?.name ?? custom?.name ?? "",
      arguments: called?.arguments ?? custom?.input ?? "",
    })),
    attachments: parts.filter((part) => "bytes" in part),
  };
}

const ATTACHMENTS: Readonly<Record<string, string>> = {
  image_url: "Image",
  input_audio: "Sound",
  video_url: "Video",
  file: "File",
};

function attachmentText({ type, media_type: mediaType, bytes, filename }: Attachment): string {
  const facts = [filename, mediaType, bytes === null ? "by its address" : `${count(bytes)} bytes`];
  return `${ATTACHMENTS[type] ?? type}: ${facts.filter((fact) => typeof fact === "string").join(", ")}`;
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
