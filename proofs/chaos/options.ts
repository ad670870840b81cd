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
  /** Clients, each of which sends its next request when the one before has ended. */
  readonly clients: number;
  /** Share of the upstream calls that fail. */
  readonly faultShare: number;
  /** Seconds between two kills; 0 for none. */
  readonly killEveryS: number;
  readonly seed: number;
}

export const CHAOS_USAGE = `npm run proof -- chaos [options]

  --requests <n>           (default 1000000)
  --clients <n>            requests in flight (default 32)
  --faults <share>         of the upstream calls, 0 to 1 (default 0.3)
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
      clients: { type: "string", default: "32" },
      faults: { type: "string", default: "0.3" },
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
    clients: wholeNumber("--clients", { text: values.clients, least: 1 }),
    faultShare: share(values.faults, "--faults"),
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

function share(text: string, flag: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new Error(`${flag} ${text}: it must be a number from 0 to 1, such as 0.3.`);
}
