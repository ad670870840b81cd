import { SextantError } from "../../foundation/errors.js";
import type { Timers } from "../../foundation/timers.js";
import type { Recorder } from "./recorder.js";
import type { Redactor } from "./redaction/redactor.js";
import type { QueryOptions, TraceStore } from "./store.js";
import type { Feedback } from "./trace.js";

/** How good the outcome of a request was, in its client's words. */
type Outcome = Pick<Feedback, "score" | "comment">;

/**
 * Keeps feedback for a trace within the scope, in the place of an earlier one.
 *
 * @returns it as it is stored; undefined when there is no such trace
 * @throws SextantError `store_down`, `query_timeout`; the signal's reason
 */
export type GiveFeedback = (
  requestId: string,
  outcome: Outcome,
  options: QueryOptions,
) => Promise<Feedback | undefined>;

/**
 * A trace may be recorded a moment after its client has the answer, by another process perhaps: it is looked for again that
 * often, that long; longer while traces wait on disk for the store (guesses).
 */
const LOOK_AGAIN_MS = 50;
const PATIENCE_MS = 100;
const PATIENCE_WHILE_BEHIND_MS = 2000;

export interface FeedbackDependencies {
  readonly store: Pick<TraceStore, "keepFeedback">;
  readonly recorder: Pick<Recorder, "flush" | "isBehind" | "wantsContent">;
  readonly redactor?: Pick<Redactor, "redactText"> | undefined;
  readonly timers: Timers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Feedback for traces that are stored, or recorded and on their way there. A comment is content: it is redacted as that of
 * traces is, and not stored where that is not.
 */
export function feedbackGiver({
  store,
  recorder,
  redactor,
  timers,
  now,
}: FeedbackDependencies): GiveFeedback {
  async function storable(comment: string | null): Promise<string | null> {
    if (comment === null || !recorder.wantsContent) return null;
    return redactor === undefined ? comment : redactor.redactText(comment);
  }

  return async (requestId, { score, comment }, options) => {
    const feedback: Feedback = { score, comment: await storable(comment), givenAtMs: now() };
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      await recorder.flush();
      options.signal?.throwIfAborted();
      if (await store.keepFeedback(requestId, feedback, options)) return feedback;
      if (waitedMs >= (recorder.isBehind ? PATIENCE_WHILE_BEHIND_MS : PATIENCE_MS)) break;
      await new Promise<void>((resolve) => timers.after(LOOK_AGAIN_MS, resolve));
    }
    if (recorder.isBehind) throw behind();
    return undefined;
  };
}

const behind = (): SextantError =>
  new SextantError(
    "store_down",
    "The store has not taken all traces yet, and this one may be among those that wait. Send the feedback again in a moment.",
  );
