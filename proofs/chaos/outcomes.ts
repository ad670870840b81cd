/** How a request ended, as its client saw it. */
export const OUTCOMES = [
  "not sent",
  "answered",
  "refused by a limit",
  "failed with an error of the API",
  "cut off by a kill",
  "failed without a kill",
  "answered with something else",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

const TOO_MANY = 429;
const NO_OUTCOME = OUTCOMES.indexOf("not sent");

/** How each request ended, and when: 5 bytes for each. */
export class Outcomes {
  readonly #outcome: Uint8Array;
  readonly #endedMs: Uint32Array;
  readonly #counts = new Map<Outcome, number>();

  /** @param most requests, whose numbers are less than that */
  constructor(readonly most: number) {
    this.#outcome = new Uint8Array(most);
    this.#endedMs = new Uint32Array(most);
  }

  /** @param endedMs since the start of the traffic */
  record(request: number, outcome: Outcome, endedMs: number): void {
    if (this.#outcome[request] !== NO_OUTCOME) throw new Error(`request ${request} ended twice`);
    this.#outcome[request] = OUTCOMES.indexOf(outcome);
    this.#endedMs[request] = endedMs;
    this.#counts.set(outcome, this.count(outcome) + 1);
  }

  of(request: number): Outcome {
    return OUTCOMES[this.#outcome[request] ?? NO_OUTCOME] ?? "not sent";
  }

  endedMs(request: number): number {
    return this.#endedMs[request] ?? 0;
  }

  count(outcome: Outcome): number {
    return this.#counts.get(outcome) ?? 0;
  }
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

const EVENT = "data: ";

/** Whether a whole reply is an answer, an error as the API documents it, or neither. */
export function outcomeOf({ status, text }: Reply): Outcome {
  if (status !== 200) return errorOf({ status, text });
  if (!text.startsWith(EVENT)) return isObject(text, "choices") ? "answered" : "answered with something else";
  const last = text.slice(text.lastIndexOf(EVENT) + EVENT.length);
  return last === "[DONE]\n\n" ? "answered" : errorOf({ status, text: last });
}

function errorOf({ status, text }: Reply): Outcome {
  if (!isObject(text, "error") || !isObject(text, "request_id")) return "answered with something else";
  const isLimit = status === TOO_MANY && /"code":"(rate_limit|budget)_exceeded"/.test(text);
  return isLimit ? "refused by a limit" : "failed with an error of the API";
}

function isObject(text: string, field: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && field in value;
  } catch {
    return false;
  }
}
