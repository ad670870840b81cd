import { expect } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { StreamTranslator } from "../../../src/gateway/providers/http/translated-stream.js";
import type { StreamEvent } from "../../../src/gateway/providers/provider.js";
import type { ChatAnswer } from "./arbitrary-chat.js";

/** Reads the events of a stream as the provider of its dialect does, and expects the answer that was streamed. */
export function expectAnswerOf(
  translator: StreamTranslator,
  { events, answer }: { readonly events: readonly JsonObject[]; readonly answer: ChatAnswer },
): readonly StreamEvent[] {
  const out: StreamEvent[] = [];
  for (const event of events) translator.read({ event: null, body: { ...event } }, out);
  expect(translator.complete).toBe(true);
  const choices = out.map(({ chunk }) => chunk?.choices[0]);
  const joined = (field: string) => choices.map((choice) => choice?.delta[field] ?? "").join("");
  const given = new Map<unknown, string>();
  for (const choice of choices)
    for (const call of (choice?.delta.tool_calls ?? []) as { index: number; function?: JsonObject }[])
      given.set(call.index, `${given.get(call.index) ?? ""}${call.function?.arguments ?? ""}`);
  const { message, finish_reason } = answer;
  expect(joined("content")).toBe(message.content ?? "");
  expect(joined("reasoning_content")).toBe(message.reasoning_content ?? "");
  expect([...given.values()]).toEqual((message.tool_calls ?? []).map((call) => call.function.arguments));
  expect(choices.at(-1)?.finish_reason).toBe(finish_reason);
  return out;
}
