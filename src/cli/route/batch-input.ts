import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import type { ConversationMessage } from "../../engine/router/routing-text.js";
import { messagesSchema } from "../../gateway/index.js";
import { CommandFailure } from "../context.js";

/** One line of a batch: what to decide, or why the line cannot be. */
export type BatchLine =
  | {
      readonly number: number;
      readonly id: string | number;
      readonly messages: readonly ConversationMessage[];
    }
  | { readonly number: number; readonly fault: string };

/** A file is not limited like a request from the network. */
const MOST_MESSAGES = 1_000_000;

const id = z.union([z.string(), z.number()]);
const lineSchema = z.union([
  z.object({ id, prompt: z.string() }),
  z.object({ id, messages: messagesSchema(MOST_MESSAGES) }),
]);

export interface BatchInput {
  /** Lines in order; blank ones are left out. */
  readonly lines: AsyncIterable<BatchLine>;
  /** Bytes of the file, compressed as they are; null when not known. */
  readonly totalBytes: number | null;
  readonly bytesRead: () => number;
}

/**
 * Opens a JSON Lines file, gzipped when its name ends in `.gz`, or `stdin` when the name is `-`. The file is streamed.
 *
 * @throws CommandFailure when it cannot be opened
 */
export function openBatch(file: string, stdin: Readable): BatchInput {
  if (file === "-") return { lines: parseLines(stdin), totalBytes: null, bytesRead: () => 0 };
  const totalBytes = sizeOf(file);
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 });
  // pipeline passes a fault of either stream on to the reader of the last.
  const readable = file.endsWith(".gz") ? pipeline(raw, createGunzip(), () => {}) : raw;
  return { lines: parseLines(readable), totalBytes, bytesRead: () => raw.bytesRead };
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    throw new CommandFailure(`${file} cannot be read. Check the path given to --batch.`);
  }
}

async function* parseLines(readable: Readable): AsyncGenerator<BatchLine> {
  let number = 0;
  // Depending on when it comes, readline throws a fault of its input or ends as if nothing had been.
  let failure: unknown;
  readable.once("error", (error) => {
    failure = error;
  });
  try {
    for await (const line of createInterface({ input: readable, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() !== "") yield parseLine(line, number);
    }
  } catch (error) {
    failure = error;
  }
  if (failure === undefined) return;
  const detail = failure instanceof Error ? failure.message : String(failure);
  throw new CommandFailure(`the batch cannot be read to its end: ${detail}. Check that the file is whole.`);
}

/** Faults never quote the line: it is somebody's prompt. */
function parseLine(line: string, number: number): BatchLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { number, fault: "not valid JSON" };
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    return {
      number,
      fault: 'neither {"id": …, "prompt": "…"} nor {"id": …, "messages": [{"role", "content"}, …]}',
    };
  }
  const { data } = parsed;
  const messages =
    "prompt" in data
      ? [{ role: "user" as const, content: data.prompt }]
      : data.messages.map(({ role, content }) => ({ role, content: content ?? null }));
  return { number, id: data.id, messages };
}
