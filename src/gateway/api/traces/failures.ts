import { z } from "zod";
import type { Failures } from "../../traces/failures.js";
import { searchQuery } from "./trace-query.js";

/** The query string of `GET /admin/traces/failures`. */
export const failuresQuery = searchQuery({});

const failuresSchema = z.strictObject({
  error_code: z.string().nullable().describe("Code of the error; null where none is recorded."),
  provider: z.string().nullable().describe("Provider that was tried last; null when none was."),
  model: z.string().nullable().describe("Model that was tried last; null when none was."),
  requests: z.int().min(1),
  first_seen: z.string().describe("Arrival of the first of them: ISO 8601, UTC."),
  last_seen: z.string().describe("Arrival of the last of them: ISO 8601, UTC."),
  last_request_id: z.string().describe("Id of the last of them."),
  message: z.string().nullable().describe("Message of the last error."),
  provider_status: z
    .int()
    .nullable()
    .describe("HTTP status of the last upstream call of the last of them; null without one."),
  provider_message: z
    .string()
    .nullable()
    .describe(
      "What the provider said in that call; null when it said nothing, or the content is not stored.",
    ),
});

/** Answer of `GET /admin/traces/failures`. */
export const failureListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(failuresSchema).describe("The most frequent first; at most 1,000."),
  request_id: z.string(),
});

/** Failed requests with the same error code, provider and model. */
type FailuresBody = z.infer<typeof failuresSchema>;

export function failuresBody({ last, firstMs, lastMs, errorCode, ...group }: Failures): FailuresBody {
  const attempt = last.attempts.findLast(({ code }) => code !== "ok");
  return {
    error_code: errorCode,
    provider: group.provider,
    model: group.model,
    requests: group.requests,
    first_seen: new Date(firstMs).toISOString(),
    last_seen: new Date(lastMs).toISOString(),
    last_request_id: last.requestId,
    message: last.message,
    provider_status: attempt?.status ?? null,
    provider_message: attempt?.message ?? null,
  };
}
