import { changeText, differencesOf } from "./compare.js";
import { counted, formatValue } from "./format.js";
import { type Judgement, judge, sameData } from "./judge.js";
import type { BenchmarkResult } from "./result.js";

export interface GateReport {
  readonly passed: boolean;
  /** Why it failed, one sentence a fault; empty when it passed. */
  readonly faults: readonly string[];
  /** What differs between the runs and may explain a fault. */
  readonly differences: readonly string[];
  readonly judgements: readonly Judgement[];
}

/**
 * Whether a run is no worse than the baseline. A figure of the baseline that is missing in the run is a fault, as are other
 * data, because they could hide a regression.
 */
export function gate(baseline: BenchmarkResult, current: BenchmarkResult): GateReport {
  const judgements = judge(baseline, current);
  const faults = [...faultsOfRun(baseline, current), ...judgements.flatMap(faultOf)];
  if (faults.length === 0 && !judgements.some(({ verdict }) => JUDGED.includes(verdict))) {
    faults.push("No figure could be judged: the baseline holds only figures that depend on the machine.");
  }
  return { passed: faults.length === 0, faults, differences: differencesOf(baseline, current), judgements };
}

const JUDGED: readonly Judgement["verdict"][] = ["same", "better", "worse"];

function faultsOfRun(baseline: BenchmarkResult, current: BenchmarkResult): string[] {
  if (baseline.suite !== current.suite)
    return [`The baseline is of the suite ${baseline.suite}, the run of ${current.suite}.`];
  if (sameData(baseline, current)) return [];
  return [
    "The run was made on other data than the baseline, so no figure of quality compares. If the data was meant to " +
      "change, make this run the baseline by --update.",
  ];
}

function faultOf({ verdict, figure, id, before, after, reason, ...rest }: Judgement): string[] {
  const name = `${figure.label} (${id})`;
  if (verdict === "missing")
    return [`${name} is missing: ${reason}. The baseline has ${formatValue(before, figure.unit)}.`];
  if (verdict !== "worse") return [];
  const change = changeText({ ...rest, figure });
  return [
    `${name} got worse: ${formatValue(before, figure.unit)} → ${formatValue(after, figure.unit)} (${change} ${reason}).`,
  ];
}

/** Text for a log: the faults first, or how much was judged. */
export function renderGate({ passed, faults, differences, judgements }: GateReport): string {
  const count = (...verdicts: readonly Judgement["verdict"][]) =>
    judgements.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return [
    ...faults.map((fault) => `✗ ${fault}`),
    ...differences.map((difference) => `  ${difference}`),
    `${passed ? "passed" : "FAILED"}: ${counted(count(...JUDGED), "figure")} judged, ${count("worse")} worse, ${count("missing")} missing, ` +
      `${count("better")} better, ${count("new")} new, ${count("not judged")} not judged`,
  ].join("\n");
}
