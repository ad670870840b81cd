import type { ComponentChildren } from "preact";
import type { TracedMessage } from "../api/traces.js";
import { count } from "../components/format.js";
import { Plain } from "../components/text.js";
import { TextBody } from "../components/text-body.js";
import { type Said, type ToolCall, textOf } from "./tool-calls.js";

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
  readonly said: Said;
  /** Beside the role. */
  readonly note?: ComponentChildren;
  /** Shown in the place of a text that there is not. */
  readonly silence?: string;
}

/** One message: users on the right, others on the left; system prompts, reasoning and tool calls are folded. */
export function Bubble({ said: { message, calls }, note, silence = "Empty." }: BubbleProps) {
  const { role } = message;
  const text = textOf(message);
  const reasoning = message.reasoning ?? null;
  const parts = "text" in message || typeof message.content === "string" ? [] : (message.content ?? []);
  const attachments = parts.filter((part) => "bytes" in part);
  const isSilent = text === "" && calls.length + attachments.length === 0 && reasoning === null;
  return (
    <li class={`bubble ${role}`}>
      <p class="bubble-head">
        <span class="bubble-role">{NAMES[role]}</span>{" "}
        {note !== undefined && <span class="muted small">{note}</span>}
      </p>
      {reasoning !== null && <Folded title="Reasoning" text={reasoning} />}
      {text !== "" && <TextBody text={text} characters={FIRST_CHARACTERS} />}
      {attachments.map((attachment, at) => (
        <p key={`${at}`} class="muted small">
          <Plain text={attachmentText(attachment)} />
        </p>
      ))}
      {calls.map((call, at) => (
        <Call key={`${at}`} call={call} />
      ))}
      {isSilent && <p class="muted">{silence}</p>}
    </li>
  );
}

type Part = Exclude<TracedMessage["content"], string | null>[number];

const ATTACHMENTS: Readonly<Record<string, string>> = {
  image_url: "Image",
  input_audio: "Sound",
  video_url: "Video",
  file: "File",
};

function attachmentText({ type, media_type: mediaType, bytes, filename }: Extract<Part, { bytes: unknown }>) {
  const facts = [filename, mediaType, bytes === null ? "by its address" : `${count(bytes)} bytes`];
  return `${ATTACHMENTS[type] ?? type}: ${facts.filter((fact) => typeof fact === "string").join(", ")}`;
}

/** In one line, cut by the width: name, arguments and result; whole on demand. */
const Call = ({ call: { name, arguments: given, result, isFailed } }: { readonly call: ToolCall }) => (
  <details class={`folded call ${isFailed ? "failed" : ""}`}>
    <summary>
      <code>
        <Plain text={`${name}(${oneLine(given)})`} />
      </code>
      <span class="call-result">
        {isFailed && <span class="unseen">failed: </span>}
        {result === null ? (
          <span class="muted">no result</span>
        ) : (
          <>
            → <Plain text={oneLine(result)} />
          </>
        )}
      </span>
    </summary>
    {[given, result].map(
      (text, at) => text !== null && <TextBody key={`${at}`} text={text} characters={FIRST_CHARACTERS} />,
    )}
  </details>
);

const oneLine = (text: string): string => text.slice(0, 200).replace(/\s+/g, " ");

const Folded = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <details class="folded">
    <summary>
      {title} <span class="muted small number">{count(text.length)} characters</span>
    </summary>
    <TextBody text={text} characters={FIRST_CHARACTERS} />
  </details>
);
