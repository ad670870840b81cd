import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import type { TimedCase } from "./interleave.js";

/** Between two looks at the processor's clock, which ticks in steps of some 10 µs. */
const EXECUTIONS = 1_000;

/**
 * Decisions per second of a core, by processor time of all threads of this process, which excludes waiting for other
 * processes. Each round also times the reference.
 */
export async function processorTimeFigures(
  decision: TimedCase,
  reference: TimedCase,
  { rounds }: { readonly rounds: number },
): Promise<Figure[]> {
  await timeOf(decision);
  await timeOf(reference);
  const own: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < rounds; round++) {
    own.push(await timeOf(decision));
    others.push(await timeOf(reference));
  }
  const perSecond = own.map((microseconds) => 1e6 / microseconds);
  const ratios = own.map((microseconds, round) => microseconds / (others[round] ?? Number.NaN));
  const figure = (id: string, label: string, samples: number[]) => ({
    ...{ id: `latency/cpu/${id}`, label, value: median(samples), samples },
  });
  const reused = { unit: "us", better: "lower" } as const;
  return [
    { ...figure("decision", `${decision.label}: processor time`, own), ...reused },
    { ...figure("onnx", `${reference.label}: processor time`, others), ...reused },
    {
      ...figure("decision_over_onnx", `${decision.label}: processor time ÷ ${reference.label}`, ratios),
      ...{ unit: "ratio", better: "lower", against: "latency/cpu/onnx" },
    },
    {
      ...figure("decisions_per_core", `${decision.label}: decisions a second of processor time`, perSecond),
      ...{ unit: "per_s", better: "higher" },
    },
  ];
}

/** Microseconds an execution. */
async function timeOf({ run }: TimedCase): Promise<number> {
  const before = process.cpuUsage();
  for (let execution = 0; execution < EXECUTIONS; execution++) await run(execution);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / EXECUTIONS;
}
