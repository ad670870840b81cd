import { z } from "zod";
import { snakeCased } from "../../foundation/snake-case.js";
import { OptionError } from "../workbench-error.js";
import { compareEvaluations } from "./compare.js";
import type { EvaluatedDecision, Evaluation } from "./evaluate.js";
import type { DecisionLatency } from "./latency.js";
import type { Sensitivity } from "./sensitivity.js";

/** Version 1 had another measure of latency. */
const VERSION = 2;

const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

const baselineSchema = z.object({
  version: z.literal(VERSION),
  profile_version: z.string(),
  cost_weight: z.number(),
  decisions: z.array(
    z.object({
      id: z.string(),
      benchmark: z.string(),
      model: z.string(),
      quality: z.number(),
      cost_usd: z.number().nullable(),
    }),
  ),
  latency: z.object({ median_us: z.number(), ratio: estimateSchema }).nullable(),
});

/** What later evaluations are compared with. No text of a prompt is in it. */
export interface Baseline {
  readonly profileVersion: string;
  readonly costWeight: number;
  readonly decisions: readonly EvaluatedDecision[];
  readonly latency: DecisionLatency | null;
}

export function encodeBaseline({ profileVersion, costWeight, decisions, latency }: Baseline): string {
  const compared = decisions.map(({ candidates: _, ...decision }) => decision);
  const figures = snakeCased({ profileVersion, costWeight, decisions: compared, latency });
  const file = { version: VERSION, ...figures };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** @param name of the file, for messages @throws OptionError when it is not a baseline */
export function decodeBaseline(text: string, name: string): Baseline {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new OptionError(`${name} is not JSON. Write one with \`save\`.`, { cause });
  }
  const parsed = baselineSchema.safeParse(json);
  if (!parsed.success) {
    throw new OptionError(
      `${name} is not a baseline of this version: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}. Write one with \`save\`.`,
    );
  }
  const { profile_version, cost_weight, decisions, latency } = parsed.data;
  return {
    profileVersion: profile_version,
    costWeight: cost_weight,
    decisions: decisions.map(({ cost_usd, ...decision }) => ({ ...decision, costUsd: cost_usd })),
    latency: latency && { medianUs: latency.median_us, ratio: latency.ratio },
  };
}

/** What each check establishes. */
const TITLES = {
  quality: "quality is not worse than the baseline",
  loss: "a larger loss of quality than is accepted is excluded",
  cost: "cost is not worse than the baseline",
  latency: "latency is not worse than the baseline",
} as const;

/** One figure held against the baseline. */
interface GateCheck {
  readonly figure: keyof typeof TITLES;
  /** Whether it is worse by more than noise and by more than is tolerated; of `loss`, whether one is possible. Null: not compared. */
  readonly isWorse: boolean | null;
  /** A sentence with the figures. */
  readonly message: string;
}

export interface GateResult {
  readonly passed: boolean;
  /** What this gate can see, by the differences of its prompts. */
  readonly sensitivity: Sensitivity;
  readonly checks: readonly GateCheck[];
}

export interface GateOptions {
  /** Differences of mean quality and, as shares, of cost and latency that are accepted even when they are beyond noise. */
  readonly tolerance: { readonly quality: number; readonly cost: number; readonly latency: number };
  /** A loss of mean quality, as a share of 1: the gate fails unless a larger one is excluded. Default: none has to be. */
  readonly strict?: number | undefined;
  readonly seed?: number;
}

/**
 * What is tolerated by default. Many prompts prove a rise of cost of a per cent that comes with equal or better quality, as from one sample of
 * prompts to another; timings differ by some per cent from run to run on one machine.
 */
export const DEFAULT_TOLERANCE: GateOptions["tolerance"] = { quality: 0, cost: 0.03, latency: 0.5 };

/** @throws OptionError when the baseline has decisions at another cost weight */
export function checkBaseline(baseline: Baseline, costWeight: number): void {
  if (costWeight === baseline.costWeight) return;
  throw new OptionError(
    `The baseline was made at \`costWeight\` ${baseline.costWeight}, this is ${costWeight}. Use the same, or write another baseline with \`save\`.`,
  );
}

/**
 * Whether quality, cost or latency is worse than in the baseline. Quality and cost are compared prompt by prompt: a difference is
 * beyond noise when its 95 % interval does not contain 0.
 *
 * @param against.latency undefined where it is not compared
 * @throws WorkbenchError when the two have no prompt in common, OptionError for another cost weight
 */
export function judge(
  evaluation: Pick<Evaluation, "decisions" | "costWeight">,
  { baseline, latency }: { readonly baseline: Baseline; readonly latency?: DecisionLatency | undefined },
  { tolerance, strict, seed = 0 }: GateOptions,
): GateResult {
  checkBaseline(baseline, evaluation.costWeight);
  const { quality, cost, prompts, unpaired, sensitivity } = compareEvaluations(baseline, evaluation, {
    seed,
  });
  const over = `over ${prompts} prompt${prompts === 1 ? "" : "s"}${unpaired === 0 ? "" : ` (${unpaired} ${unpaired === 1 ? "is" : "are"} in one of the two only)`}`;
  const checks: GateCheck[] = [
    {
      figure: "quality",
      isWorse: quality.high < 0 && quality.value < -tolerance.quality,
      message: `Quality changed by ${signedPoints(quality.value)} points [${signedPoints(quality.low)}, ${signedPoints(quality.high)}] ${over}.`,
    },
    ...(strict === undefined ? [] : [strictCheck(sensitivity, strict)]),
    cost === null
      ? { figure: "cost", isWorse: null, message: "Costs are not known in both." }
      : {
          figure: "cost",
          isWorse: cost.low > 0 && cost.value > tolerance.cost,
          message: `Cost changed by ${signedPercent(cost.value)} [${signedPercent(cost.low)}, ${signedPercent(cost.high)}] ${over}.`,
        },
    ...(latency === undefined ? [] : [latencyCheck(baseline.latency, latency, tolerance.latency)]),
  ];
  return { passed: checks.every(({ isWorse }) => isWorse !== true), sensitivity, checks };
}

function strictCheck({ largestLoss, promptsForOnePoint }: Sensitivity, strict: number): GateCheck {
  const isWorse = largestLoss > strict;
  const remedy = ` More prompts narrow it: one point is detected with ${promptsForOnePoint}.`;
  return {
    figure: "loss",
    isWorse,
    message: `A loss of up to ${points(largestLoss)} points is possible (95% interval), ${points(strict)} are accepted.${isWorse ? remedy : ""}`,
  };
}

/** A sentence about what a gate with these prompts can see. */
export const sensitivityText = ({ detectableLoss, promptsForOnePoint }: Sensitivity): string =>
  `The smallest loss of quality that this gate detects is ${points(detectableLoss)} points (95% interval, power 80%)` +
  (detectableLoss > 0.01 ? `; one point takes ${promptsForOnePoint} prompts.` : ".");

/** Whether decisions take longer than before, by more than noise and by more than a share that is tolerated. */
export const isSlower = (before: DecisionLatency, after: DecisionLatency, tolerance: number): boolean =>
  after.ratio.low > before.ratio.high && after.ratio.value / before.ratio.value - 1 > tolerance;

function latencyCheck(before: DecisionLatency | null, after: DecisionLatency, tolerance: number): GateCheck {
  if (before === null) {
    return {
      figure: "latency",
      isWorse: null,
      message: "Decisions were not timed for the baseline.",
    };
  }
  const change = after.ratio.value / before.ratio.value - 1;
  return {
    figure: "latency",
    isWorse: isSlower(before, after, tolerance),
    message:
      `A decision takes ${after.ratio.value.toFixed(2)} [${after.ratio.low.toFixed(2)}, ${after.ratio.high.toFixed(2)}] times the reference, ` +
      `${before.ratio.value.toFixed(2)} [${before.ratio.low.toFixed(2)}, ${before.ratio.high.toFixed(2)}] in the baseline: ${signedPercent(change)}.`,
  };
}

/** JUnit's XML, which CI systems show as test results. */
export function junitReport({ checks }: GateResult, name: string): string {
  const failures = checks.filter(({ isWorse }) => isWorse === true).length;
  const skipped = checks.filter(({ isWorse }) => isWorse === null).length;
  const cases = checks.map(({ figure, isWorse, message }) => {
    const start = `    <testcase classname="${escapeXml(name)}" name="${TITLES[figure]}"`;
    if (isWorse === false) return `${start}/>`;
    const inside =
      isWorse === null
        ? `<skipped message="${escapeXml(message)}"/>`
        : `<failure message="${escapeXml(message)}"/>`;
    return `${start}>${inside}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${checks.length}" failures="${failures}" skipped="${skipped}">`,
    `  <testsuite name="${escapeXml(name)}" tests="${checks.length}" failures="${failures}" skipped="${skipped}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const XML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => XML[character] as string);

const points = (share: number): string => (100 * share).toFixed(2);
export const signedPoints = (share: number): string => signed(100 * share, 2);
export const signedPercent = (share: number): string => `${signed(100 * share, 1)}%`;

/** With a sign, and −0 as 0. */
function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  if (Number(text) === 0) return (0).toFixed(digits);
  return value > 0 ? `+${text}` : text.replace("-", "−");
}
