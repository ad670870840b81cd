import type { TracedAnswerBody as TracedAnswer } from "../../gateway/features/traces/schema/operator-trace.js";
import type { TracedMessageBody as TracedMessage } from "../../gateway/features/traces/schema/trace.js";

/** A call of a tool with what came of it. */
export interface ToolCall {
  readonly name: string;
  /** As the model wrote them: JSON, usually. */
  readonly arguments: string;
  /** Null where none was sent back, or not yet. */
  readonly result: string | null;
  readonly isFailed: boolean;
}

/** A message, or the answer of a request, with its calls. */
export interface Said {
  readonly message: TracedMessage | TracedAnswer;
  readonly calls: readonly ToolCall[];
}

interface OpenCall extends Pick<ToolCall, "name" | "arguments"> {
  readonly id: string | undefined;
  result: string | null;
}

/** How results of failed calls begin: as the gateway counts them (`run/tool-loop.ts`). */
const FAILED =
  /^\s*(?:error\b|<tool_use_error>|traceback \(|\{"error"|(?:(?:chunk id|wall time): .*\n)*(?:process exited with|exit) code:? -?[1-9])/i;

/**
 * The messages with the results of tools beside their calls, by the id of the call, else in their order. A result without a call stays a
 * message of its own.
 */
export function withResults<Item extends Pick<Said, "message">>(
  items: readonly Item[],
): readonly (Item & Said)[] {
  let open: readonly OpenCall[] = [];
  const said: (Item & { readonly calls: readonly OpenCall[] })[] = [];
  for (const item of items) {
    const { message } = item;
    if (!("text" in message) && message.role === "tool") {
      const waiting = open.filter(({ result }) => result === null);
      const call = waiting.find(({ id }) => id !== undefined && id === message.tool_call_id) ?? waiting[0];
      if (call !== undefined) {
        call.result = textOf(message);
        continue;
      }
    }
    const calls = callsOf(message);
    if (message.role === "assistant") open = calls;
    said.push({ ...item, calls });
  }
  return said.map((item) => ({ ...item, calls: item.calls.map(ended) }));
}

const ended = ({ name, arguments: given, result }: OpenCall): ToolCall => ({
  name,
  arguments: given,
  result,
  isFailed: result !== null && FAILED.test(result),
});

function callsOf(message: TracedMessage | TracedAnswer): readonly OpenCall[] {
  if ("text" in message) return message.tool_calls.map((call) => ({ ...call, id: undefined, result: null }));
  return (message.tool_calls ?? []).map(({ id, function: called, custom }) => ({
    id,
    name: called?.name ?? custom?.name ?? "",
    arguments: called?.arguments ?? custom?.input ?? "",
    result: null,
  }));
}

/** The text of a message, refusals included. */
export function textOf(message: TracedMessage | TracedAnswer): string {
  if ("text" in message) return message.text;
  const { content, refusal } = message;
  const parts = typeof content === "string" ? [{ text: content }] : (content ?? []);
  const texts = parts.flatMap((part) => ("text" in part ? part.text : "refusal" in part ? part.refusal : []));
  return [...texts, refusal ?? ""].filter((text) => text !== "").join("\n");
}
