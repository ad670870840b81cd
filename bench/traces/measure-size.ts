import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { makeBenchStore } from "./bench-store.js";
import type { Context } from "./context.js";
import { type AppendResult, measureAppend } from "./measure-append.js";
import { type GatewayResult, measureGateway } from "./measure-gateway.js";
import { measureSearches, type SearchResult } from "./measure-searches.js";
import { SEARCHES } from "./searches.js";
import { Tally } from "./tally.js";

/** Ids that are looked up. */
const LOOKUPS = 300;

export interface SizeResult {
  readonly rows: number;
  /** Mean bytes of prompt and answer of a row. */
  readonly contentBytes: number;
  readonly append: AppendResult;
  readonly search: SearchResult;
  readonly gateway: GatewayResult | undefined;
}

/** Fills a store with that many rows and measures all that was asked for. */
export async function measureSize(rows: number, context: Context): Promise<SizeResult> {
  const { clickhouseUrl, parts } = context.options;
  const dataDir = join(context.folder, `rows-${rows}`);
  await mkdir(dataDir, { recursive: true });
  const store = await makeBenchStore({ dataDir, ...(clickhouseUrl !== undefined && { clickhouseUrl }) });
  try {
    const tally = new Tally(
      SEARCHES.flatMap(({ filters }) => filters),
      { rows, ids: LOOKUPS },
    );
    const append = await measureAppend(store, { rows, tally, context });
    const search = await measureSearches(store, { tally, context });
    // Last, because the requests that it sends leave traces of their own.
    const gateway = parts.includes("gateway") ? await measureGateway(store) : undefined;
    return { rows, contentBytes: tally.contentBytes, append, search, gateway };
  } finally {
    await store.remove();
  }
}
