import type { Metadata } from "./completions.js";
import type { TraceKind, TraceStatus } from "./replies.js";

/** Which traces are meant; all conditions must hold. */
export interface TraceQuery {
  /** Traces a page, 1–1000 (100). */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Inclusive; ISO 8601, UTC when it names no zone. */
  start_date?: string | undefined;
  /** Exclusive. */
  end_date?: string | undefined;
  source?: string | undefined;
  model_id?: string | undefined;
  /** Part of the name of the model that answered or was asked for, in any case. */
  model_contains?: string | undefined;
  /** Model as the request named it: also `auto` or a preset. */
  requested_model?: string | undefined;
  provider?: string | undefined;
  status?: TraceStatus | undefined;
  kind?: TraceKind | undefined;
  /** Id of an API key, or `jwt:` and the subject of a token. */
  key?: string | undefined;
  error_code?: string | undefined;
  /** Of an attempt, or of the error that ended the request; `model_id` and `provider` are then those of that attempt. */
  attempt_code?: string | undefined;
  /** False: decisions alone. */
  executed?: boolean | undefined;
  has_feedback?: boolean | undefined;
  /** Whether a reply named another model than was asked for. */
  other_model?: boolean | undefined;
  /** Part of a tool loop in that state. */
  tool_loop?: "running" | "stuck" | undefined;
  /** Of reasoning, as it was asked for, such as `high`. */
  effort?: string | undefined;
  /** A part of the prompt or of the answer, in any case. */
  q?: string | undefined;
  metadata?: Metadata | undefined;
}
