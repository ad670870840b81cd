import { parseArgs } from "node:util";
import { wholeNumber } from "../../bench/options.js";

/** Several gateways that share Redis and ClickHouse. */
export interface Fleet {
  readonly count: number;
  readonly redisUrl: string;
  readonly clickhouseUrl: string;
}

export interface ChaosOptions {
  readonly fleet: Fleet;
  readonly requests: number;
  /** Seconds between two kills; 0 for none. */
  readonly killEveryS: number;
  readonly seed: number;
}

export const CHAOS_USAGE = `npm run proof -- chaos [options]

  --requests <n>           (default 1000000)
  --kill-every <seconds>   between two kills of a gateway (default 60; 0 for none)
  --gateways <n>           (default 2), which share
  --redis <url>            this Redis and
  --clickhouse <url>       this database of a ClickHouse server; both empty
  --seed <n>               of the faults and the kills (default 1)
  --small                  --requests 5000 --kill-every 5`;

/** @throws Error that names the flag, its value and the remedy */
export function parseChaosOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: "string", default: "1000000" },
      "kill-every": { type: "string", default: "60" },
      gateways: { type: "string", default: "2" },
      redis: { type: "string" },
      clickhouse: { type: "string" },
      seed: { type: "string", default: "1" },
    },
  });
  return {
    fleet: fleetOf(values),
    requests: wholeNumber("--requests", { text: values.requests, least: 1 }),
    killEveryS: wholeNumber("--kill-every", { text: values["kill-every"], least: 0 }),
    seed: wholeNumber("--seed", { text: values.seed, least: 0 }),
  };
}

interface FleetFlags {
  readonly gateways: string;
  readonly redis?: string | undefined;
  readonly clickhouse?: string | undefined;
}

function fleetOf({ gateways, redis, clickhouse }: FleetFlags): Fleet {
  if (redis === undefined || clickhouse === undefined)
    throw new Error("Gateways share limits and traces by --redis <url> and --clickhouse <url>. Give both.");
  const count = wholeNumber("--gateways", { text: gateways, least: 2 });
  return { count, redisUrl: redis, clickhouseUrl: clickhouse };
}
