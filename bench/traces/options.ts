import { parseArgs } from "node:util";
import type { StoreName } from "./bench-store.js";

/** The measurements. Without `append` the store is filled too, unless it is kept from an earlier run. */
export const PARTS = ["append", "search", "lookup", "gateway"] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  readonly rows: readonly number[];
  readonly parts: readonly Part[];
  readonly store: StoreName;
  /** Set when `store` is clickhouse. */
  readonly clickhouseUrl: string | undefined;
  readonly seed: number;
  readonly rounds: number;
  /** Folder in which filled stores stay, to be measured again; undefined when they are removed. */
  readonly keep: string | undefined;
}

export const TRACES_USAGE = `npm run bench -- traces [options]

  --rows <n,…>             traces in the store (default 1000000)
  --only <part,…>          of ${PARTS.join(", ")} (default all)
  --store <name>           duckdb or clickhouse (default duckdb)
  --clickhouse-url <url>   with --store clickhouse
  --seed <n>               of the made-up traces (default 1)
  --rounds <n>             times that each search is repeated (default 30)
  --keep <folder>          where filled DuckDB stores stay, to be measured again
  --small                  --rows 50000 --rounds 5 --only append,search,lookup`;

/** @throws Error that names the flag, its value and the remedy */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "1000000" },
      only: { type: "string", default: PARTS.join(",") },
      store: { type: "string", default: "duckdb" },
      "clickhouse-url": { type: "string" },
      seed: { type: "string", default: "1" },
      rounds: { type: "string", default: "30" },
      keep: { type: "string" },
    },
  });
  const store = oneOf(["duckdb", "clickhouse"], values.store, "--store");
  const clickhouseUrl = values["clickhouse-url"];
  if ((store === "clickhouse") !== (clickhouseUrl !== undefined)) {
    throw new Error("--store clickhouse and --clickhouse-url <url> belong together. Give both or neither.");
  }
  if (store === "clickhouse" && values.keep !== undefined) {
    throw new Error("--keep is for --store duckdb, whose files it keeps. Leave it out.");
  }
  return {
    rows: values.rows.split(",").map((text) => wholeNumber(text, { flag: "--rows", least: 1 })),
    parts: values.only.split(",").map((text) => oneOf(PARTS, text, "--only")),
    store,
    clickhouseUrl,
    seed: wholeNumber(values.seed, { flag: "--seed", least: 0 }),
    rounds: wholeNumber(values.rounds, { flag: "--rounds", least: 1 }),
    keep: values.keep,
  };
}

function oneOf<Value extends string>(values: readonly Value[], text: string, flag: string): Value {
  const value = values.find((known) => known === text);
  if (value === undefined) throw new Error(`${flag} ${text}: it must be one of ${values.join(", ")}.`);
  return value;
}

export function wholeNumber(
  text: string,
  { flag, least }: { readonly flag: string; readonly least: number },
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new Error(`${flag} ${text}: it must be a whole number from ${least} on, such as 1000000.`);
}
