/** Answers that call tools, as providers give them in chat, whole and streamed. */
import { chunk, streamedAnswer, wholeAnswer } from "../../fakes/inference.js";

const functionCall = (id: string, city: string) => ({
  id,
  type: "function" as const,
  function: { name: "weather", arguments: JSON.stringify({ city }) },
});

/** Two calls at once. */
export const OSLO_AND_ROME = [functionCall("call_1", "Oslo"), functionCall("call_2", "Rome")] as const;

export type FunctionCall = ReturnType<typeof functionCall>;

/** A whole answer that calls, after saying `content` if any. */
export function callingAnswer(calls: readonly FunctionCall[], content: string | null = null) {
  const message = { role: "assistant", content, tool_calls: calls };
  return wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] } });
}

/** The same in chunks: the pieces of parallel calls come by turns. */
export function streamedCalls(
  calls: readonly FunctionCall[],
  changes: Parameters<typeof streamedAnswer>[1] = {},
) {
  const begun = calls.map((call, index) => ({
    index,
    ...call,
    function: { ...call.function, arguments: "" },
  }));
  const pieces = calls.flatMap(({ function: { arguments: given } }, index) => [
    [0, { index, function: { arguments: given.slice(0, 5) } }] as const,
    [1, { index, function: { arguments: given.slice(5) } }] as const,
  ]);
  const turn = (at: number) => pieces.filter(([when]) => when === at).map(([, piece]) => piece);
  const batches = [
    [chunk({ role: "assistant", content: null, tool_calls: begun })],
    [chunk({ tool_calls: turn(0) })],
    [chunk({ tool_calls: turn(1) })],
    [chunk({}, { finish_reason: "tool_calls" })],
  ];
  return streamedAnswer(batches, changes);
}

/** An answer of this text. */
export function saying(content: string) {
  const message = { role: "assistant", content, refusal: null };
  return wholeAnswer({ completion: { choices: [{ index: 0, message, finish_reason: "stop" }] } });
}
