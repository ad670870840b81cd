/** The answer of a finished request, as something can be learned from it. */
export interface UsableAnswer {
  readonly requestId: string;
  /** The same for every request with the same prompt. */
  readonly promptId: string;
  /** What the request is routed by, which is what a profile set embeds. */
  readonly prompt: string;
  /** The whole conversation as one text. */
  readonly input: string;
  /** Without reasoning. */
  readonly answer: string;
  readonly model: string;
  /** What its client gave it, in [0, 1]; null when nothing. */
  readonly feedback: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** Null also where failed calls before it are part of the cost. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** With which the router chose the model; null where the client named it, or another model failed first. */
  readonly probability: number | null;
  /** Whether the model was drawn at random. */
  readonly explored: boolean;
}
