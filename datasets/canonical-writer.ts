import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { ImportedRow } from "./imported-row.js";

export interface WrittenSet {
  readonly prompts: number;
  readonly models: number;
  readonly outcomes: number;
  /** Rows without a text, which nothing can be learned from. */
  readonly leftOut: number;
}

export interface WriteOptions {
  /** What `source.json` says of the origin. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Called every thousand rows. */
  readonly onRows?: (rows: number) => void;
}

const ROWS_PER_REPORT = 1000;

/**
 * Writes rows in the canonical layout: `prompts.jsonl.gz`, `outcomes.jsonl.gz` and `source.json`. The folder is complete or
 * untouched: everything is written beside it first. Prompts are written when they are first seen.
 */
export async function writeCanonical(
  rows: AsyncIterable<ImportedRow>,
  folder: string,
  options: WriteOptions,
): Promise<WrittenSet> {
  const draft = `${folder}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    const written = await writeRows(rows, draft, options);
    if (written.outcomes === 0)
      throw new Error("The source holds no answers that could be read; nothing was written.");
    const facts = { ...options.source, ...written };
    await writeFile(join(draft, "source.json"), `${JSON.stringify(facts, null, 2)}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return written;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function writeRows(
  rows: AsyncIterable<ImportedRow>,
  draft: string,
  { signal, onRows }: WriteOptions,
): Promise<WrittenSet> {
  const prompts = new Map<string, string>();
  const models = new Set<string>();
  let outcomes = 0;
  let leftOut = 0;
  async function* outcomeLines(): AsyncGenerator<string> {
    for await (const row of rows) {
      signal?.throwIfAborted();
      if (row.prompt.trim() === "") {
        leftOut += 1;
        continue;
      }
      if (!prompts.has(row.id)) prompts.set(row.id, promptLine(row));
      models.add(row.model);
      outcomes += 1;
      if (outcomes % ROWS_PER_REPORT === 0) onRows?.(outcomes);
      yield outcomeLine(row);
    }
  }
  await writeGzip(outcomeLines(), join(draft, "outcomes.jsonl.gz"));
  await writeGzip(prompts.values(), join(draft, "prompts.jsonl.gz"));
  return { prompts: prompts.size, models: models.size, outcomes, leftOut };
}

async function writeGzip(lines: Iterable<string> | AsyncIterable<string>, path: string): Promise<void> {
  await pipeline(Readable.from(lines), createGzip(), createWriteStream(path));
}

function promptLine({ id, benchmark, category, prompt }: ImportedRow): string {
  return `${JSON.stringify({ id, benchmark, category, prompt })}\n`;
}

function outcomeLine({ id, model, score, tokensIn, tokensOut, costUsd }: ImportedRow): string {
  const row = {
    id,
    model,
    score,
    tokens_in: tokensIn ?? null,
    tokens_out: tokensOut ?? null,
    cost_usd: costUsd ?? null,
  };
  return `${JSON.stringify(row)}\n`;
}
