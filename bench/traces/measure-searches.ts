import { showProgress } from "../report/progress.js";
import type { BenchStore } from "./bench-store.js";
import type { Context } from "./context.js";
import { SOURCES } from "./made-up-traces.js";
import { type Times, timeLookups, timeSearches } from "./search-times.js";
import { SEARCHES } from "./searches.js";
import type { KnownRows } from "./tally.js";

/** Searches that read texts take long, and are asked that many times. */
const TEXT_ROUNDS = 3;
/** Lookups that warm up. */
const WARM_UP = 20;
/** Name of the reference among the times. */
export const COUNT = "bare count";

export interface SearchResult {
  /** Until a store of that size, just opened, answers its first question. */
  readonly openMs: number;
  readonly pages: Times | undefined;
  readonly texts: Times | undefined;
  /** Of ids that there are, and of ids that there are not. */
  readonly found: readonly number[] | undefined;
  readonly absent: readonly number[] | undefined;
}

/** Asks a store that has been filled. */
export async function measureSearches(
  store: BenchStore,
  { known, context }: { readonly known: KnownRows; readonly context: Context },
): Promise<SearchResult> {
  const { parts, rounds } = context.options;
  const started = performance.now();
  const open = store.open();
  try {
    await open.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
    const openMs = performance.now() - started;
    const search = async (what: "pages" | "texts", count: number) => {
      if (!parts.includes("search")) return undefined;
      const progress = showProgress(`searching, ${what}`, count);
      const times = await timeSearches(open, {
        cases: SEARCHES.filter(({ group }) => (group === "texts") === (what === "texts")),
        rounds: count,
        expected: (filter) => known.matching(filter),
        references: new Map([
          [COUNT, (round) => context.bare.timeCount(SOURCES[round % SOURCES.length] ?? "")],
        ]),
        onRound: (done) => progress.update(done),
      });
      progress.stop();
      return times;
    };
    const look = async (ids: readonly string[], present: "present" | "absent") => {
      if (!parts.includes("lookup")) return undefined;
      await timeLookups(open, { ids: ids.slice(0, WARM_UP), present });
      return timeLookups(open, { ids: shuffled(ids), present });
    };
    return {
      openMs,
      pages: await search("pages", rounds),
      texts: await search("texts", TEXT_ROUNDS),
      found: await look(known.ids, "present"),
      absent: await look(known.ids.map(absentId), "absent"),
    };
  } finally {
    await open.close();
  }
}

/** An absent id with the same time, so that the same part of the store is searched. */
const absentId = (id: string): string => `${id.slice(0, -4)}${id.endsWith("ZZZZ") ? "0000" : "ZZZZ"}`;

/** In an order that has nothing to do with time, the same every run. */
const shuffled = (ids: readonly string[]): string[] =>
  ids.toSorted((a, b) => (a.slice(-8) < b.slice(-8) ? -1 : 1));
