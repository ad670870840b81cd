import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";

export type CaseId = "json" | "stream" | "decision";

/** Of the gateway, and of the bare server that it is compared with. */
export interface Measured {
  readonly ours: number;
  readonly bare: number;
}

/** What one process of each server measured. */
export interface Life {
  /** Microseconds of processor time a request. */
  readonly cpuUs: Readonly<Record<CaseId, Measured>>;
  /** Milliseconds of a decision over HTTP, one at a time, that nine in ten exceed. */
  readonly decisionMs: Measured;
  readonly readyMs: Measured;
  /** Milliseconds of processor time until it was ready. */
  readonly startCpuMs: Measured;
  /** At the end, in MB. */
  readonly residentMb: Measured;
}

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly unit: "us" | "ms" | "mb";
  readonly of: (life: Life) => Measured;
  readonly byClock?: true;
}

const cpuOf = (id: CaseId, what: string): Kind => ({
  ...{ id: `overhead/${id}/cpu`, label: `processor time of ${what}`, unit: "us" },
  of: ({ cpuUs }) => cpuUs[id],
});

const KINDS: readonly Kind[] = [
  cpuOf("json", "a chat completion"),
  cpuOf("stream", "a streamed chat completion"),
  cpuOf("decision", "a decision"),
  {
    id: "overhead/decision/time",
    label: "time of a decision",
    unit: "ms",
    of: ({ decisionMs }) => decisionMs,
    byClock: true,
  },
  {
    id: "overhead/start/ready",
    label: "start to ready",
    unit: "ms",
    of: ({ readyMs }) => readyMs,
    byClock: true,
  },
  {
    id: "overhead/start/cpu",
    label: "processor time of a start",
    unit: "ms",
    of: ({ startCpuMs }) => startCpuMs,
  },
  {
    id: "overhead/memory/resident",
    label: "resident memory",
    unit: "mb",
    of: ({ residentMb }) => residentMb,
  },
];

/** Each measurement with its ratio to the bare server, one sample a life. @param lives at least one */
export function figuresOf(lives: readonly Life[]): Figure[] {
  return KINDS.flatMap(({ id, label, unit, of, byClock }) => {
    const figure = (end: string, samples: number[]) => ({
      ...{ id: `${id}${end}`, better: "lower" as const, samples, samples_of: "processes" as const },
      ...(byClock && { by_clock: byClock }),
    });
    const [ours, bare] = [lives.map((life) => of(life).ours), lives.map((life) => of(life).bare)];
    const ratios = lives.map((life) => of(life).ours / of(life).bare);
    return [
      { ...figure("", ours), label, unit, value: median(ours) },
      { ...figure("/bare", bare), label: `${label}, bare server`, unit, value: median(bare) },
      {
        ...figure("_over_bare", ratios),
        ...{
          label: `${label} ÷ bare server`,
          unit: "ratio" as const,
          value: median(ratios),
          against: `${id}/bare`,
        },
      },
    ];
  });
}
