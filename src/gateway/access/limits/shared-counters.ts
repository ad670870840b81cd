import type { Claim, Correction, RefusalCount, RefusedRequest, Tally, Used } from "./counters.js";

/** Counters outside the process, which several instances share and which may be unavailable. */
export interface SharedCounters {
  /** Resolves when they can first be asked; may never. @throws SharedCountersError when the first try fails */
  ready(): Promise<void>;
  /** @throws SharedCountersError when they cannot be asked, or it is unknown whether they counted it */
  claim(claim: Claim): Promise<Tally>;
  /** Applies all of them. Those of a minute of 0 change only the month. @throws SharedCountersError as `claim` does */
  correct(corrections: readonly Correction[]): Promise<void>;
  /** As of `Counters`. @throws SharedCountersError */
  usedBy(principals: readonly string[]): Promise<readonly Used[]>;
  /** As of `Counters`. @throws SharedCountersError */
  accounts(prefix: string): Promise<readonly string[]>;
  /** As of `Counters`. @throws SharedCountersError */
  noteRefusal(refused: RefusedRequest): Promise<void>;
  /** As of `Counters`. @throws SharedCountersError */
  refusals(principals: readonly string[]): Promise<readonly RefusalCount[]>;
  /** Resolves when a claim could be counted. @throws SharedCountersError */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The shared counters cannot be asked. The code says why, without addresses or credentials: `ECONNREFUSED`, `NOAUTH`. */
export class SharedCountersError extends Error {
  override readonly name = "SharedCountersError";

  constructor(readonly code: string) {
    super(`The shared counters cannot be reached: ${code}.`);
  }
}
