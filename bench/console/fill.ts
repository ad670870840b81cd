import { encodeTime } from "ulid";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { openRouter } from "../../src/index.js";
import type { BenchStore } from "../traces/bench-store.js";
import { END_MS, MadeUpTraces, MODELS } from "../traces/made-up-traces.js";

/** Traces handed to the store at once. */
const BATCH = 10_000;
/** Characters of the time in a request id, after `req_`. */
const TIME_CHARACTERS = 10;

/**
 * Fills a store with made-up traces of the 90 days that end now: pages show the last hour first. Their models are profiled
 * ones, without which past traffic cannot be decided again.
 */
export async function fill(
  store: BenchStore,
  { rows, seed, nowMs }: { readonly rows: number; readonly seed: number; readonly nowMs: number },
): Promise<void> {
  const made = new MadeUpTraces({ seed, rows });
  const rename = await profiledModels();
  const traces = store.open();
  try {
    for (let at = 0; at < rows; at += BATCH) {
      const batch = made.take(Math.min(BATCH, rows - at));
      await traces.append(batch.map((trace) => later(rename(trace), nowMs - END_MS)));
    }
  } finally {
    await traces.close();
  }
}

function later(trace: Trace, byMs: number): Trace {
  const createdAtMs = trace.createdAtMs + byMs;
  const random = trace.requestId.slice("req_".length + TIME_CHARACTERS);
  return { ...trace, createdAtMs, requestId: `req_${encodeTime(createdAtMs, TIME_CHARACTERS)}${random}` };
}

/** Gives each made-up model the name of a profiled one. */
async function profiledModels(): Promise<(trace: Trace) => Trace> {
  const router = await openRouter();
  const profiled = router.profiles().map(({ model }) => model);
  await router.close();
  const named = new Map(MODELS.map((model, at) => [model, profiled[at] ?? model]));
  const made = new RegExp(MODELS.join("|"), "g");
  const name = (text: string) => text.replace(made, (model) => named.get(model) ?? model);
  return ({ content, ...trace }) => ({ ...(JSON.parse(name(JSON.stringify(trace))) as Trace), content });
}
