/** What the tests of the Responses dialect share. */
import { ResponseEvents } from "../../../../src/gateway/dialects/responses/reply.js";
import type { ChatChunk, JsonObject } from "../../../../src/gateway/providers/chat.js";
import type { Usage } from "../../../../src/gateway/traces/trace.js";

export const USAGE: Usage = {
  prompt_tokens: 14,
  completion_tokens: 5,
  total_tokens: 19,
  input_cost_usd: 0.1,
  output_cost_usd: 0.2,
  cache_input_cost_usd: 0,
  total_cost_usd: 0.3,
  latency_ms: 4,
  ttft_ms: 2,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

export const envelope = {
  ulid: "01KAFC0S3VZ7TJD8M0HRB1PGCE",
  createdAtMs: 1_763_600_000_000,
  model: "model-a",
  provider: "lab",
  requestId: "req_01KAFC0S3VZ7TJD8M0HRB1PGCE",
  request: { instructions: "Be brief.", max_output_tokens: 9 },
};

export interface ResponseEvent extends JsonObject {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: JsonObject & { readonly output: readonly JsonObject[] };
}

/** The events of a stream, parsed. */
export function eventsOf(chunks: readonly ChatChunk[]): readonly ResponseEvent[] {
  const stream = new ResponseEvents(envelope);
  const text = stream.start() + chunks.map((one) => stream.chunk(one)).join("") + stream.end(USAGE);
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + 6)));
}
