import { cp, mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type BenchStore, makeBenchStore } from "./bench-store.js";
import type { Context } from "./context.js";
import { noteKnownRows, readKnownRows } from "./kept-rows.js";
import { type AppendResult, measureAppend } from "./measure-append.js";
import { type GatewayResult, measureGateway } from "./measure-gateway.js";
import { type AppendedKinds, measureKinds } from "./measure-kinds.js";
import { measureSearches, type SearchResult } from "./measure-searches.js";
import { FILTERS } from "./searches.js";
import { type KnownRows, Tally } from "./tally.js";

/** Ids that are looked up. */
const LOOKUPS = 300;

export interface SizeResult {
  readonly rows: number;
  /** Mean bytes of prompt and answer of a row. */
  readonly contentBytes: number;
  /** Undefined when the rows were there already. */
  readonly append: AppendResult | undefined;
  /** Undefined unless appending was asked for. */
  readonly kinds: AppendedKinds | undefined;
  readonly search: SearchResult;
  readonly gateway: GatewayResult | undefined;
}

/** Fills a store with that many rows, unless an earlier run kept one, and measures all that was asked for. */
export async function measureSize(rows: number, context: Context): Promise<SizeResult> {
  const { clickhouseUrl, keep, seed, parts } = context.options;
  const dataDir = resolve(keep ?? context.folder, `rows-${rows}-seed-${seed}`);
  await mkdir(dataDir, { recursive: true });
  const store = await makeBenchStore({ dataDir, ...(clickhouseUrl !== undefined && { clickhouseUrl }) });
  try {
    const { known, append } = await fill(store, { rows, context });
    const kinds = parts.includes("append") ? await measureKinds(rows, context) : undefined;
    const search = await measureSearches(store, { known, context });
    // Last, because the requests that it sends leave traces of their own.
    const gateway = parts.includes("gateway") ? await measureGatewayOn(store, context) : undefined;
    return { rows, contentBytes: known.contentBytes, append, kinds, search, gateway };
  } finally {
    if (keep === undefined) await store.remove();
  }
}

async function fill(
  store: BenchStore,
  { rows, context }: { readonly rows: number; readonly context: Context },
): Promise<{ readonly known: KnownRows; readonly append: AppendResult | undefined }> {
  const { dataDir } = store;
  const kept = await readKnownRows(dataDir);
  if (kept !== undefined) return { known: kept, append: undefined };
  // What an interrupted run left.
  await rm(dataDir, { recursive: true });
  await mkdir(dataDir);
  const tally = new Tally(FILTERS, { rows, ids: LOOKUPS });
  const append = await measureAppend(store, { rows, tally, context });
  if (context.options.keep !== undefined) await noteKnownRows(dataDir, { known: tally, filters: FILTERS });
  return { known: tally, append };
}

/** On a copy where the rows are to be kept as they are. */
async function measureGatewayOn(store: BenchStore, { options, folder }: Context): Promise<GatewayResult> {
  if (options.keep === undefined) return measureGateway(store);
  const dataDir = join(folder, "copy");
  await cp(store.dataDir, dataDir, { recursive: true });
  try {
    return await measureGateway(await makeBenchStore({ dataDir }));
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
