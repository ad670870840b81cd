import { z } from "zod";

/**
 * The result of one run of a benchmark suite: figures that can be compared between runs. Stored in
 * `bench/results/<suite>-<date>.json`; `compare` and `gate` read nothing else.
 */
export const RESULT_VERSION = 1;

const interval = z.object({ low: z.number(), high: z.number() });

/** One number with a name that stays the same from run to run. */
const figure = z.object({
  /** Path of lower-case words, from the general to the special: `quality/mmlu_pro/ours/accuracy`. Unique in a result. */
  id: z.string().regex(/^[a-z0-9_.+=-]+(\/[a-z0-9_.+=-]+)+$/),
  /** What a person calls it. */
  label: z.string().min(1),
  value: z.number().nullable().describe("null = could not be measured; `note` says why"),
  unit: z.enum([
    "share",
    "score",
    "usd",
    "us",
    "ms",
    "s",
    "per_s",
    "mb",
    "bytes",
    "ratio",
    "count",
    "points",
  ]),
  better: z.enum(["lower", "higher", "neither"]),
  /** 95 %; of the value itself unless `against` is given, then of the difference to that figure. */
  interval: interval.optional(),
  /** Id of the figure this one is a ratio to or a difference from, measured in the same run. */
  against: z.string().optional(),
  /** Values of single rounds or seeds; the noise that `compare` and `gate` judge by. */
  samples: z.array(z.number()).optional(),
  note: z.string().optional(),
});

export const benchmarkResult = z.object({
  version: z.literal(RESULT_VERSION),
  suite: z.enum([
    "quality",
    "current",
    "everyday",
    "frontier",
    "peers",
    "latency",
    "http",
    "gateway",
    "traces",
    "startup",
    "vendors",
    "ledger",
    "chaos",
    "soak",
    "learning",
    "conversations",
    "robustness",
    "agents",
  ]),
  /** The question the figures answer. */
  question: z.string(),
  /** As typed, without a path of the machine. */
  command: z.string(),
  environment: z.object({
    processor: z.string(),
    cores: z.number().int(),
    node: z.string(),
    commit: z.string().nullable(),
    date: z.string(),
    load: z.number(),
  }),
  /** What was measured on: `sha256` over the files' bytes in the order of their names. */
  datasets: z.array(
    z.object({ name: z.string(), sha256: z.string(), prompts: z.number().int(), models: z.number().int() }),
  ),
  seeds: z.array(z.number().int()),
  figures: z.array(figure),
  /** What is needed to interpret the figures: how test data was kept apart, what is missing. */
  notes: z.array(z.string()),
});

export type BenchmarkResult = z.infer<typeof benchmarkResult>;
export type Figure = z.infer<typeof figure>;
