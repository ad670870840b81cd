/** `POST /v1/responses/compact`: a Responses request that ends with the trigger of a compaction, and its answer in a form of its own. */
import { SextantError } from "../../../foundation/errors.js";
import type { CompactRequestBody, ResponsesRequestBody } from "../../api/responses-request.js";
import { COMPACTION_TRIGGER } from "../../dialects/responses/compaction.js";
import { isJsonObject, type JsonObject, objectsIn } from "../../providers/chat.js";
import { contradiction } from "./inference-request.js";
import type { ResponseEncoder } from "./response-encoder.js";

/** @throws SextantError `invalid_request` when there is nothing to compact, or a stream is asked for */
export function compactionRequest({
  stream,
  store: _store,
  background: _background,
  input,
  ...body
}: CompactRequestBody): ResponsesRequestBody {
  if (stream === true) throw contradiction("stream", "is true, and there are no streams of compactions");
  if ((input ?? body.previous_response_id ?? null) === null)
    throw contradiction("input", "is missing. Send the conversation, or `previous_response_id`");
  return { ...body, input: [...itemsOf(input), { type: COMPACTION_TRIGGER }] };
}

type Items = Extract<ResponsesRequestBody["input"], readonly unknown[]>;

const itemsOf = (input: CompactRequestBody["input"]): Items =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);

/**
 * OpenAI's `response.compaction`, whose output is what to go on from: the messages of the request that are not the assistant's, and
 * what stands for all else.
 */
export const compactionEncoder = (
  { input }: ResponsesRequestBody,
  encoder: ResponseEncoder,
): ResponseEncoder => ({
  ...encoder,
  body(answer, envelope) {
    const { id, created_at, output, usage, model, provider, request_id, ...rest } = encoder.body(
      answer,
      envelope,
    );
    const compacted = objectsIn(output).filter(({ type }) => type === "compaction");
    if (compacted.length === 0) {
      const message =
        "The model wrote no summary, or one that was cut off. Try again, or name another model.";
      throw new SextantError("upstream_error", message);
    }
    const said = objectsIn(input)
      .map((item): JsonObject => ({ type: "message", ...item }))
      .filter(({ type, role }) => type === "message" && role !== "assistant");
    return {
      ...{ id, object: "response.compaction", created_at, model },
      ...{ output: [...said, ...compacted], usage, provider, request_id },
      ...(isJsonObject(rest.routing) && { routing: rest.routing }),
    };
  },
});
