import type { TracedAnswer } from "../workbench/traffic/traced-answer.js";
import { type FinishedTrace, tracedAnswer, type UnusableTrace } from "./traced-answer.js";

/** How many traces nothing can be learned from, by the reason. */
export type LeftOutTraces = Record<UnusableTrace, number>;

/** @param leftOut is counted up as the traces are read */
export async function* usableAnswers(
  batches: Iterable<readonly FinishedTrace[]> | AsyncIterable<readonly FinishedTrace[]>,
  leftOut: LeftOutTraces,
): AsyncGenerator<readonly TracedAnswer[]> {
  for await (const batch of batches) {
    yield batch.flatMap((trace) => {
      const answer = tracedAnswer(trace);
      if (typeof answer !== "string") return [answer];
      leftOut[answer] += 1;
      return [];
    });
  }
}
