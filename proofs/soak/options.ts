import { parseArgs } from "node:util";

export interface SoakOptions {
  readonly minutes: number;
  /** Requests a second, sent whether earlier ones are answered or not. */
  readonly perSecond: number;
  readonly sampleSeconds: number;
  readonly seed: number;
}

export const SOAK_USAGE = `npm run proof -- soak [options]

  --minutes <n>            how long the traffic lasts (default 30)
  --per-second <n>         requests a second of all kinds together (default 60)
  --sample-seconds <n>     between two readings of memory, handles and files (default 5)
  --seed <n>               of the order and the faults of the traffic (default 1)
  --small                  --minutes 2`;

/** @throws Error that names the flag, its value and the remedy */
export function parseSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "30" },
      "per-second": { type: "string", default: "60" },
      "sample-seconds": { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
    },
  });
  return {
    minutes: positive(values.minutes, "--minutes"),
    perSecond: positive(values["per-second"], "--per-second"),
    sampleSeconds: positive(values["sample-seconds"], "--sample-seconds"),
    seed: Number(values.seed),
  };
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} ${text}: it must be a number above 0.`);
  return value;
}
