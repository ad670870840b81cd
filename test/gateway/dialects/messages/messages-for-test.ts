/** Requests and answers of the Messages API for tests. */

import { SextantError } from "../../../../src/foundation/errors.js";
import { invalidRequest } from "../../../../src/foundation/issue-text.js";
import {
  type MessagesRequestBody,
  messagesRequestSchema,
} from "../../../../src/gateway/api/messages-request.js";
import { chatBodyFromMessages } from "../../../../src/gateway/dialects/messages/request.js";
import { MessageEvents } from "../../../../src/gateway/dialects/messages/stream.js";
import type { ChatBody, ChatChunk, JsonObject } from "../../../../src/gateway/providers/chat.js";
import type { Usage } from "../../../../src/gateway/traces/trace.js";
import { errorThrownBy } from "../../../support/errors.js";

export const USAGE: Usage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  input_cost_usd: 0.1,
  output_cost_usd: 0.2,
  cache_input_cost_usd: 0,
  total_cost_usd: 0.3,
  latency_ms: 20,
  ttft_ms: 10,
};

export const FACTS = { id: "msg_01", model: "gpt-4o-mini", usage: USAGE } as const;

const schema = messagesRequestSchema({ maxMessages: 100 });

/** A request as the route hands it on. @throws SextantError as the route answers it */
function parsed(fields: JsonObject): MessagesRequestBody {
  const messages = [{ role: "user", content: "Hello" }];
  const body = { model: "gpt-4o-mini", max_tokens: 100, messages, ...fields };
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalidRequest(result.error, body);
}

export const translated = (fields: JsonObject) => chatBodyFromMessages(parsed(fields));

export function chatBody(fields: JsonObject): ChatBody {
  const { body, onlyNative } = translated(fields);
  if (onlyNative !== null) throw new Error(`only Anthropic: ${onlyNative.what}`);
  return body;
}

export const conversation = (...messages: readonly JsonObject[]) => chatBody({ messages }).messages;

export const userBlocks = (...content: readonly JsonObject[]): JsonObject => ({ role: "user", content });
export const assistantBlocks = (...content: readonly JsonObject[]) => ({ role: "assistant", content });

/** How a request with these fields is refused; fails when it is not. */
export const refusalOf = (fields: JsonObject) => errorThrownBy(() => translated(fields), SextantError);

export const chunkOf = (
  delta: JsonObject,
  finish: { finish_reason: string | null } & JsonObject = { finish_reason: null },
): ChatChunk => ({ choices: [{ index: 0, delta, ...finish }] });

/** The events of a stream, as their data. */
export function eventsOf(chunks: readonly ChatChunk[], usage = USAGE): JsonObject[] {
  const events = new MessageEvents(FACTS);
  const text = [events.start(), ...chunks.map((chunk) => events.chunk(chunk)), events.end(usage)].join("");
  return dataOf(text);
}

export function dataOf(text: string): JsonObject[] {
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const [name, data] = event.split("\n");
      const value = JSON.parse(data?.replace(/^data: /, "") ?? "") as JsonObject;
      if (name !== `event: ${value.type}`) throw new Error(`${name} names an event of type ${value.type}`);
      return value;
    });
}
