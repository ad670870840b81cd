/**
 * How much does a decision cost, and each part of it, by the length of the prompt, the number of models and the number
 * of anchors? The core may be shared, so cases are interleaved, and their ratio to a bare scan of 5,000 anchors is what
 * to compare between machines and commits. Microseconds from a machine with more load than cores are unreliable; the
 * ratios are then accurate to a few tenths.
 */
import { describeEnvironment, environmentLine } from "../environment.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { decisionCases, embeddingCases, searchCases } from "./cases.js";
import { type Dependencies, openDependencies } from "./dependencies.js";
import { figuresOf, timingTable } from "./figures.js";
import { type TimedCase, timeInterleaved } from "./interleave.js";
import { LATENCY_USAGE, type LatencyOptions, parseLatencyOptions } from "./options.js";
import { recallFigures } from "./recall.js";
import { shippedCases } from "./shipped.js";
import { openSyntheticSet, SET_NOTE, type SyntheticSetSize } from "./synthetic-set.js";

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help")) return console.log(LATENCY_USAGE);
  const options = parseLatencyOptions(args);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const dependencies = await openDependencies(options.lengths);
  const { cases, recall } = await casesOf(options, dependencies);
  const bar = showProgress(`Timing ${cases.length} cases in turn`, options.rounds);
  const timings = await timeInterleaved(cases, { ...options, onRound: (done) => bar.update(done) });
  bar.stop();
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "latency", environment, datasets: [], seeds: [] },
    question: "What does a decision cost, and which part of it costs what?",
    command: ["npm run bench -- latency", ...args].join(" "),
    figures: [...figuresOf(timings), ...recall],
    notes: [
      SET_NOTE,
      `${options.rounds} rounds of ${options.milliseconds} ms a case; p99 of a round, median over rounds.`,
    ],
  };
  console.log(`\n${timingTable(timings)}`);
  console.log(`\nwritten to ${await writeResult(result)}`);
  await dependencies.embedder.close();
}

interface Measurable {
  readonly cases: readonly TimedCase[];
  /** Recall of the searches. */
  readonly recall: readonly Figure[];
}

async function casesOf({ sets, searched }: LatencyOptions, dependencies: Dependencies): Promise<Measurable> {
  const cases = [...embeddingCases(dependencies), ...(await shippedCases(dependencies))];
  const recall: Figure[] = [];
  const left = new Set(searched);
  for (const size of sets) {
    const set = await openWithProgress(size, dependencies);
    if (left.delete(size.anchors)) {
      cases.push(...(await searchCases(set, size, dependencies)));
      recall.push(...(await recallFigures(set, size, dependencies)));
    }
    cases.push(...(await decisionCases(set, size, dependencies)));
  }
  return { cases, recall };
}

async function openWithProgress(size: SyntheticSetSize, { embedder }: Dependencies) {
  const bars = new Map<string, ReturnType<typeof showProgress>>();
  const set = await openSyntheticSet(size, embedder, (stage, done, total) => {
    const bar = bars.get(stage) ?? showProgress(`${size.anchors} × ${size.models}: ${stage}`, total);
    bars.set(stage, bar);
    bar.update(done);
    if (done === total) bar.stop();
  });
  for (const bar of bars.values()) bar.stop();
  return set;
}

await main(process.argv.slice(2));
