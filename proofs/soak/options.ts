import { parseArgs } from "node:util";
import { KINDS, type RequestKind } from "./traffic.js";

export interface SoakOptions {
  readonly minutes: number;
  /** Requests a second, sent whether earlier ones are answered or not. */
  readonly perSecond: number;
  readonly seed: number;
  /** The only kind of request that is sent; undefined: the whole mix. */
  readonly only: RequestKind | undefined;
  /** Settings of the server that say where traces are kept. */
  readonly store: Readonly<Record<string, string>>;
}

export const SOAK_USAGE = `npm run proof -- soak [options]

  --minutes <n>            how long the traffic lasts (default 30)
  --per-second <n>         requests a second of all kinds together (default 60)
  --only <kind>            send this kind of request alone: chat, decision, stream, …
  --store <store>          duckdb (default), none, or the URL of an empty database of ClickHouse
  --seed <n>               of the order and the faults of the traffic (default 1)
  --small                  --minutes 2`;

/** @throws Error that names the flag, its value and the remedy */
export function parseSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "30" },
      "per-second": { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      store: { type: "string", default: "duckdb" },
    },
  });
  return {
    minutes: positive(values.minutes, "--minutes"),
    perSecond: positive(values["per-second"], "--per-second"),
    seed: Number(values.seed),
    only: values.only === undefined ? undefined : kindOf(values.only),
    store: storeSettings(values.store),
  };
}

function kindOf(text: string): RequestKind {
  const kind = KINDS.find((known) => known === text);
  if (kind === undefined) throw new Error(`--only ${text}: it must be one of ${KINDS.join(", ")}.`);
  return kind;
}

function storeSettings(store: string): SoakOptions["store"] {
  if (store === "duckdb") return {};
  if (store === "none") return { SEXTANT_CH_ENABLED: "false" };
  if (URL.canParse(store)) return { SEXTANT_TRACE_STORE: "clickhouse", SEXTANT_CLICKHOUSE_URL: store };
  throw new Error(`--store ${store}: it must be duckdb, none, or a URL such as http://127.0.0.1:8123/soak.`);
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} ${text}: it must be a number above 0.`);
  return value;
}
