/**
 * The columns of the table `traces`, in its order: one for each field of a trace that is searched or summed up, and JSON for
 * what has a shape of its own.
 *
 * `created_at` is the arrival in UTC. `input_text` and `output_text` are null when content is not stored, `reasoning_text` also
 * when there was no reasoning; the bytes are those of the whole texts, of which only the beginning is in the row when they are
 * long (`long_texts`). `context_text` and `messages`: `message-columns.ts`; `messages` is null when it is long.
 * `tool_loop` is the state of the tool loop that a request is part of, else null.
 * `requested_model` is the model as the request named it, null where it named none.
 * `preset` is that of `routing`, which is long, null without one.
 * `effort` is the effort of reasoning that was asked for, null where none was.
 * `baseline_picousd` and `saved_picousd` are figures of `savings` as whole numbers, whose sums are exact.
 */
export const TRACE_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  kind: "VARCHAR NOT NULL",
  status: "VARCHAR NOT NULL",
  model: "VARCHAR",
  requested_model: "VARCHAR",
  provider: "VARCHAR",
  source: "VARCHAR NOT NULL",
  principal: "VARCHAR NOT NULL",
  streamed: "BOOLEAN NOT NULL",
  finish_reason: "VARCHAR",
  tokens_in: "BIGINT",
  tokens_out: "BIGINT",
  tokens_cached: "BIGINT",
  cost_usd: "DOUBLE",
  latency_ms: "DOUBLE NOT NULL",
  ttft_ms: "DOUBLE",
  error_code: "VARCHAR",
  error_message: "VARCHAR",
  metadata: "JSON NOT NULL",
  usage: "JSON",
  attempts: "JSON NOT NULL",
  routing: "JSON USING COMPRESSION zstd",
  preset: "VARCHAR",
  input_bytes: "BIGINT",
  output_bytes: "BIGINT",
  input_text: "VARCHAR USING COMPRESSION zstd",
  output_text: "VARCHAR USING COMPRESSION zstd",
  reasoning_bytes: "BIGINT",
  reasoning_text: "VARCHAR USING COMPRESSION zstd",
  context_bytes: "BIGINT",
  context_text: "VARCHAR USING COMPRESSION zstd",
  messages_bytes: "BIGINT",
  messages: "JSON USING COMPRESSION zstd",
  tool_loop: "VARCHAR",
  tool_loop_figures: "JSON",
  effort: "VARCHAR",
  savings: "JSON",
  baseline_picousd: "BIGINT",
  saved_picousd: "BIGINT",
} as const;

/**
 * The columns of the table `long_texts`, one row for each part of a text too long for the row of its trace.
 *
 * `field` is the column of `traces` that has the beginning. All parts of a text, from 0, make up the whole; `following` is
 * what the next part begins with, so that a search finds what crosses from one part to the next.
 */
export const LONG_TEXT_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  field: "VARCHAR NOT NULL",
  part: "BIGINT NOT NULL",
  text: "VARCHAR NOT NULL USING COMPRESSION zstd",
  following: "VARCHAR NOT NULL USING COMPRESSION zstd",
} as const;

/**
 * The columns of the table `feedback`, at most one row for each trace: a table of its own, so that what is given later
 * rewrites no trace. `created_at` is that of the trace, `given_at` when it was given.
 */
export const FEEDBACK_COLUMNS = {
  request_id: "VARCHAR NOT NULL",
  created_at: "TIMESTAMP NOT NULL",
  score: "DOUBLE NOT NULL",
  comment: "VARCHAR",
  given_at: "TIMESTAMP NOT NULL",
} as const;
