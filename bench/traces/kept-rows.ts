import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TraceFilter } from "../../src/gateway/traces/store.js";
import type { KnownRows } from "./tally.js";

/** Stored beside the store's own files when all rows are written, so that a partial store is never used. */
const FILE = "bench-known-rows.json";

const schema = z.object({
  counts: z.array(z.tuple([z.string(), z.number()])),
  ids: z.array(z.string()),
  contentBytes: z.number(),
});

const keyOf = (filter: TraceFilter): string => JSON.stringify(filter);

/** Records the counts of the rows in a folder. */
export async function noteKnownRows(
  folder: string,
  { known, filters }: { readonly known: KnownRows; readonly filters: readonly TraceFilter[] },
): Promise<void> {
  const counts = filters.map((filter) => [keyOf(filter), known.matching(filter)]);
  const { ids, contentBytes } = known;
  await writeFile(join(folder, FILE), JSON.stringify({ counts, ids, contentBytes }));
}

/** The recorded counts; undefined when the folder was not filled to the end. */
export async function readKnownRows(folder: string): Promise<KnownRows | undefined> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { counts, ids, contentBytes } = schema.parse(JSON.parse(text));
  const byFilter = new Map(counts);
  return { matching: (filter) => byFilter.get(keyOf(filter)), ids, contentBytes };
}
