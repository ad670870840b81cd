import type { BenchmarkResult } from "./report/result.js";

type SuiteName = BenchmarkResult["suite"];

/** A suite is a program: it measures, prints a table, and leaves one result file in `bench/results`. */
export interface Suite {
  readonly name: SuiteName;
  /** The question it answers, for `--help`. */
  readonly question: string;
  /** Its source, from the root: a benchmark is in `bench/`, a proof in `proofs/`. */
  readonly entry: string;
  /** Timing suites run as compiled JavaScript, because `tsx` adds a cost to every closure. */
  readonly runs: "compiled" | "as source";
  /** Options that replace `--small`: minutes at most, with the data in the repository. */
  readonly small: readonly string[];
}

export const SUITES: readonly Suite[] = [
  {
    ...{ name: "quality", entry: "bench/quality/run.ts", runs: "as source" },
    question: "How good are the decisions, against every baseline?",
    // What CI gates by: many splits, since each has three dozen prompts to test on.
    small: [
      "--data",
      "datasets/sample",
      "--seeds",
      Array.from({ length: 20 }, (_, seed) => seed).join(),
      "--without-leave-out",
    ],
  },
  {
    ...{ name: "everyday", entry: "bench/everyday/main.ts", runs: "as source" },
    question: "Which models do everyday prompts go to?",
    small: ["--out", "bench/results/everyday.md"],
  },
  {
    ...{ name: "robustness", entry: "bench/robustness/main.ts", runs: "as source" },
    question: "How often is the same model chosen for a prompt that is written otherwise?",
    small: ["--prompts", "60"],
  },
  {
    ...{ name: "current", entry: "bench/current/main.ts", runs: "as source" },
    question: "How well do expected means rank and predict the models of 2025 and 2026?",
    small: ["--prompts-per-set", "60"],
  },
  {
    ...{ name: "frontier", entry: "bench/frontier/main.ts", runs: "as source" },
    question: "What does routing save, in dollars that were really paid?",
    small: ["--prompts-per-set", "100"],
  },
  {
    ...{ name: "agents", entry: "bench/agents/main.ts", runs: "as source", small: ["--runs", "5"] },
    question: "Does an agent gain when a better model takes over after failed results of its tools?",
  },
  {
    ...{ name: "peers", entry: "bench/peers/main.ts", runs: "as source", small: [] },
    question: "How good are decisions beside those of other routers that learn from the same prompts?",
  },
  {
    ...{ name: "conversations", entry: "proofs/conversations/main.ts", runs: "as source" },
    question: "What does keeping the model of a conversation save, and cost in quality?",
    small: ["--conversations", "20"],
  },
  {
    ...{ name: "learning", entry: "proofs/learning/main.ts", runs: "as source" },
    question: "What do profiles learn from traffic that they routed themselves, and does replay predict it?",
    small: ["--requests", "500", "--seeds", "0"],
  },
  {
    ...{
      name: "latency",
      entry: "bench/latency/main.ts",
      runs: "compiled",
      small: ["--size", "small"],
    },
    question: "What does a decision cost, stage by stage, by length, models and anchors?",
  },
  {
    ...{
      name: "http",
      entry: "bench/http/main.ts",
      runs: "compiled",
      small: ["--rounds", "5", "--requests", "1500"],
    },
    question: "What does the HTTP server add, and how many requests does a core serve?",
  },
  {
    ...{ name: "startup", entry: "bench/http/startup.ts", runs: "compiled", small: [] },
    question: "How long does a start take, and how much memory?",
  },
  {
    ...{ name: "gateway", entry: "bench/gateway/main.ts", runs: "compiled" },
    question: "What does the gateway add to a call, against a bare proxy?",
    small: ["--rounds", "2", "--without-peers"],
  },
  {
    ...{ name: "traces", entry: "bench/traces/main.ts", runs: "compiled" },
    question: "How fast are traces kept and found?",
    small: ["--rows", "50000", "--rounds", "5"],
  },
  {
    ...{ name: "vendors", entry: "bench/vendors/main.ts", runs: "as source", small: [] },
    question: "How do requests that vendors refuse fare in each of the gateway's APIs?",
  },
  {
    ...{ name: "ledger", entry: "proofs/ledger/main.ts", runs: "as source" },
    question: "Is every dollar that failed calls cost in the traces and in the budget?",
    small: ["--requests", "1000"],
  },
  {
    ...{ name: "chaos", entry: "proofs/chaos/main.ts", runs: "as source" },
    question:
      "Does every request get its reply and its trace, and does every limit hold, while calls fail and processes are killed?",
    small: ["--requests", "5000", "--kill-every", "5"],
  },
  {
    ...{
      name: "soak",
      entry: "proofs/soak/main.ts",
      runs: "as source",
      small: ["--minutes", "2"],
    },
    question: "Do memory, handles, files and latency stay level under steady mixed traffic?",
  },
];

export const BENCHMARKS: readonly Suite[] = SUITES.filter(({ entry }) => entry.startsWith("bench/"));

/** What is run by hand, when what it proves may have changed. */
export const PROOFS: readonly Suite[] = SUITES.filter(({ entry }) => entry.startsWith("proofs/"));

/** Arguments as the suite takes them, `--small` replaced by what it stands for. */
export function suiteArguments(suite: Suite, given: readonly string[]): string[] {
  return given.flatMap((word) => (word === "--small" ? suite.small : [word]));
}
