import { SextantError } from "../../src/foundation/errors.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import type { SearchCase } from "./searches.js";

/** Milliseconds by name of the case, in the order of the rounds; infinite where the store gave up. */
export type Times = ReadonlyMap<string, readonly number[]>;

export interface SearchOptions {
  readonly cases: readonly SearchCase[];
  readonly rounds: number;
  readonly onRound: (done: number) => void;
}

const ALL = { scope: "all" } as const;

/** Times every case once a round, in rotating order, after a warm-up round. */
export async function timeSearches(
  store: TraceStore,
  { cases, rounds, onRound }: SearchOptions,
): Promise<Times> {
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const search = cases[(Math.max(0, round) + turn) % cases.length] as SearchCase;
      const ms = await timeSearch(store, search, round);
      if (round >= 0) note(search.name, ms);
    }
    onRound(round + 1);
  }
  return times;
}

async function timeSearch(store: TraceStore, { filters, page }: SearchCase, round: number): Promise<number> {
  const filter = filters[Math.max(0, round) % filters.length] ?? {};
  const started = performance.now();
  const found = await store.ask("list", { filter, page }, ALL).catch(whenTooLong);
  return found === undefined ? Number.POSITIVE_INFINITY : performance.now() - started;
}

/** Converts a query timeout of the store, which is a result and does not end the run. */
function whenTooLong(error: unknown): undefined {
  if (!(error instanceof SextantError && error.code === "query_timeout")) throw error;
}

/**
 * Milliseconds of each lookup.
 *
 * @throws Error when an absent id is found, or a present one is not
 */
export async function timeLookups(
  store: TraceStore,
  { ids, present }: { readonly ids: readonly string[]; readonly present: "present" | "absent" },
): Promise<number[]> {
  const times: number[] = [];
  for (const id of ids) {
    const started = performance.now();
    const trace = await store.ask("find", id, ALL);
    times.push(performance.now() - started);
    if ((trace?.requestId === id) !== (present === "present")) throw new Error(`${id} should be ${present}`);
  }
  return times;
}
