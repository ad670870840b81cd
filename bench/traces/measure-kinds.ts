import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { appendRows } from "./append.js";
import { makeBenchStore } from "./bench-store.js";
import type { Context } from "./context.js";
import { MadeUpTraces, type SharedTexts } from "./made-up-traces.js";
import { timed } from "./measure-append.js";
import { overallRate } from "./statistics.js";
import { makeTexts } from "./texts.js";

/** Enough for a steady rate. */
const MOST_ROWS = 163_840;

/** Prompt and answer together have some 200 characters. */
const SHORT: Record<keyof SharedTexts, Parameters<typeof makeTexts>[0]> = {
  prompts: { count: 65_536, median: 70, spread: 0.5, seed: 21 },
  answers: { count: 65_521, median: 110, spread: 0.5, seed: 22 },
};

/** What appending traces of one kind takes. */
export interface AppendedKind {
  readonly rate: number;
  /** Microseconds of processor time for a row, of all threads, without making it up. */
  readonly cpuUs: number;
  readonly bytesPerRow: number;
}

/** Appending of smaller traces, which shows the cost of the texts. */
export interface AppendedKinds {
  readonly withoutTexts: AppendedKind;
  readonly shortTexts: AppendedKind;
}

/** Fills an empty store with each kind. */
export async function measureKinds(rows: number, context: Context): Promise<AppendedKinds> {
  const count = Math.min(rows, MOST_ROWS);
  const short = { prompts: makeTexts(SHORT.prompts), answers: makeTexts(SHORT.answers) };
  return {
    withoutTexts: await measureKind("left out", { rows: count, texts: context.texts, context }),
    shortTexts: await measureKind("stored", { rows: count, texts: short, context }),
  };
}

interface Kind {
  readonly rows: number;
  readonly texts: SharedTexts;
  readonly context: Context;
}

async function measureKind(
  content: "stored" | "left out",
  { rows, texts, context }: Kind,
): Promise<AppendedKind> {
  const { clickhouseUrl, seed } = context.options;
  const dataDir = join(context.folder, `kind-${content.replace(" ", "-")}`);
  await mkdir(dataDir, { recursive: true });
  const store = await makeBenchStore({ dataDir, ...(clickhouseUrl !== undefined && { clickhouseUrl }) });
  try {
    const source = () => new MadeUpTraces({ seed, rows, texts });
    const { used: makingUs } = await timed(rows, async () => {
      const made = source();
      for (let row = 0; row < rows; row++) made.next();
    });
    const open = store.open();
    await open.ask("list", { filter: {}, page: { limit: 1, offset: 0 } }, { scope: "all" });
    const { used, result: steps } = await timed(rows, async () => {
      const nothing = () => {};
      const options = { rows, folder: dataDir, content, onRecorded: nothing, onWritten: nothing };
      const appended = await appendRows(open, source(), options);
      await open.close();
      return appended;
    });
    return { rate: overallRate(steps), cpuUs: used - makingUs, bytesPerRow: (await store.bytes()) / rows };
  } finally {
    await store.remove();
  }
}
