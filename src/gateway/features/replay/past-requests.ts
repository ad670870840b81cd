import { COMPARISONS_SOURCE } from "../../traces/trace.js";
import { promptText } from "../../traces/trace-messages.js";
import type { TracedMessage } from "../../traces/traced-message.js";
import type { PastRequest } from "./replay.js";
import type { LeftOutRequests } from "./replay-report.js";

/** What is read of a trace. */
export interface FinishedRequest {
  readonly kind: string;
  readonly status: string;
  readonly source?: string | undefined;
  readonly model: string | null;
  readonly tokens_in: number | null;
  readonly cost_usd: number | null;
  readonly messages?: readonly TracedMessage[] | undefined;
  readonly routing: {
    readonly candidates: readonly { readonly model: string }[];
    /** Candidates of the decision, of which the trace may have the best alone. */
    readonly candidates_total: number;
    readonly max_tokens?: number | undefined;
  } | null;
  readonly feedback: { readonly score: number } | null;
}

/** Makes traces into requests to decide again, and counts those that it cannot. */
export class PastRequests {
  readonly #models: readonly string[] | undefined;
  readonly #leftOut = { text: 0, named: 0, failed: 0 };

  /** @param models to choose among; default: those that each request was routed among */
  constructor(models?: readonly string[]) {
    this.#models = models;
  }

  get leftOut(): LeftOutRequests {
    return { ...this.#leftOut };
  }

  /** Undefined for a request that is left out. */
  of(trace: FinishedRequest): PastRequest | undefined {
    const { model, routing, messages = [], status, kind, source, feedback } = trace;
    // No caller asked it.
    if (source === COMPARISONS_SOURCE) return undefined;
    if (status !== "success" || model === null || kind === "embeddings") this.#leftOut.failed += 1;
    else if (promptText(messages) === "") this.#leftOut.text += 1;
    else if (this.#models === undefined && routing === null) this.#leftOut.named += 1;
    else {
      return {
        messages,
        model,
        costUsd: trace.cost_usd,
        promptTokens: trace.tokens_in,
        maxTokens: routing?.max_tokens,
        candidates: this.#models ?? pastCandidates(routing),
        feedback: feedback?.score ?? null,
      };
    }
    return undefined;
  }
}

/** Null when the trace does not have all of them. */
export function pastCandidates(routing: FinishedRequest["routing"]): readonly string[] | null {
  if (routing === null) return [];
  const { candidates, candidates_total: total } = routing;
  return total > candidates.length ? null : candidates.map(({ model }) => model);
}
