/** Messages as Anthropic sends them, whole and as the events of a stream. */
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";

export interface Message {
  readonly id?: string;
  readonly model?: unknown;
  readonly content: readonly JsonObject[];
  readonly stop_reason: string;
  readonly usage?: JsonObject;
  readonly stop_details?: JsonObject;
}

export function wholeMessage({ id, model, content, stop_reason, ...more }: Message): JsonObject {
  return {
    id: id ?? "msg_01",
    type: "message",
    role: "assistant",
    model: model ?? "claude-sonnet-4-5-20250929",
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 7 },
    ...more,
  };
}

/**
 * The same message as events; texts and inputs come in pieces of `pieceLength` UTF-16 code units, so that emoji are cut
 * in two, which JSON escapes allow.
 */
export function messageEvents(message: Message, pieceLength = 3): JsonObject[] {
  const { usage, stop_reason, stop_details, ...head } = wholeMessage(message);
  const { output_tokens, output_tokens_details, ...input } = usage as JsonObject;
  const start = { ...head, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } };
  // What is undefined is not written.
  const end = { stop_reason, stop_sequence: null, stop_details };
  const written = { output_tokens, output_tokens_details };
  return [
    { type: "message_start", message: start },
    { type: "ping" },
    ...message.content.flatMap((block, index) => blockEvents(block, index, pieceLength)),
    { type: "message_delta", delta: end, usage: written },
    { type: "message_stop" },
  ];
}

function blockEvents(block: JsonObject, index: number, pieceLength: number): JsonObject[] {
  const delta = (members: JsonObject): JsonObject => ({ type: "content_block_delta", index, delta: members });
  const events = (empty: JsonObject, deltas: readonly JsonObject[]): JsonObject[] => [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map(delta),
    { type: "content_block_stop", index },
  ];
  switch (block.type) {
    case "text": {
      const pieces = cut(String(block.text), pieceLength);
      return events({ type: "text", text: "" }, [
        ...pieces.map((text) => ({ type: "text_delta", text })),
        ...((block.citations ?? []) as JsonObject[]).map((citation) => ({
          type: "citations_delta",
          citation,
        })),
      ]);
    }
    case "thinking": {
      const pieces = cut(String(block.thinking), pieceLength);
      return events({ type: "thinking", thinking: "", signature: "" }, [
        ...pieces.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ]);
    }
    case "tool_use": {
      const pieces = ["", ...cut(JSON.stringify(block.input), pieceLength)];
      const empty = Object.keys(block.input as JsonObject).length === 0;
      const deltas = empty ? pieces.slice(0, 1) : pieces;
      return events(
        { ...block, input: {} },
        deltas.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    }
    default:
      return events(block, [
        { type: "input_json_delta", partial_json: '{"hidden":' },
        { type: "future_delta" },
      ]);
  }
}

function cut(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
}

/** Events as the bytes of a stream. */
export function streamBytes(events: readonly JsonObject[]): Buffer {
  return Buffer.from(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );
}
