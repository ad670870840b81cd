import { z } from "zod";
import { field, milliseconds, oneOf, switchField, whole, wholeOrNone } from "../field.js";

export const redactionSchema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe(
      "Regular expression in JavaScript's syntax. Every match is replaced; one that matches nothing at all is refused.",
    ),
  flags: z
    .string()
    .regex(
      /^[ims]*$/,
      "only `i` (any case), `m` (`^` and `$` at every line) and `s` (`.` matches line ends too) are known",
    )
    .optional()
    .describe(
      "`i` (any case), `m` (`^` and `$` at every line), `s` (`.` matches line ends too), or several of them.",
    ),
  replacement: z
    .string()
    .optional()
    .describe("What stands in its place, taken literally; default `[redacted]`."),
});

const usablePattern = redactionSchema.superRefine(({ pattern, flags = "" }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["pattern"], message });
  try {
    if (new RegExp(pattern, flags).test("")) refuse("it matches an empty text, which is everywhere");
  } catch (error) {
    if (/^[ims]*$/.test(flags)) refuse(error instanceof Error ? error.message : String(error));
  }
});

/** Which traces are kept, where and for how long. */
export const tracesSettings = {
  chEnabled: switchField(
    { usual: true },
    "Whether traces are kept at all. Without them the routes of traces answer 503 `store_down`; inference goes on.",
  ),
  traceStore: oneOf(
    { values: ["duckdb", "clickhouse"], usual: "duckdb" },
    "Where traces are kept: `duckdb`, a file in `data_dir` that one process may use, or `clickhouse`, a server that any " +
      "number of instances share.",
  ),
  clickhouseUrl: field(
    z.url({ protocol: /^https?$/ }).optional(),
    "ClickHouse server for `trace_store` `clickhouse`, with user, password and database if it has any.",
    { expects: "a URL such as http://default:secret@localhost:8123/sextant", secret: true },
  ),
  traceContent: switchField(
    { usual: true },
    "Whether traces hold the texts of prompts, answers and reasoning. When not, these are written nowhere.",
  ),
  traceMaxTextCharacters: whole(
    { from: 100, to: 67_108_864, usual: 4_194_304 },
    "Most characters of all messages of a prompt, of an answer, and of the reasoning behind it, that a trace holds. Of a longer one the beginning is kept, with a note of " +
      "its length, of a prompt the last user message first; the answer's tokens, where no provider counts them, are estimated from what is kept.",
  ),
  traceRedact: field(
    z.array(usablePattern).default([]),
    "What is replaced in every string of a prompt's messages, in answers, reasoning, metadata values and error messages before a trace is kept. File only.",
    { expects: "a list of patterns" },
  ),
  traceRetentionDays: wholeOrNone(
    { from: 1, to: 36_500 },
    "Days that traces are kept. Older ones are removed once a day, at most a day later: from a file, which keeps its size " +
      "while later traces take their room and overwrite their bytes, from ClickHouse by dropping whole months and " +
      "rewriting the month that the limit falls into. Default: for ever.",
  ),
  traceFlushMs: whole(
    { from: 1, to: 60_000, usual: 100 },
    "How long finished traces are collected before they are written together, in milliseconds. A crash may lose what was " +
      "recorded within twice that time, or within 100 ms more than it, if that is longer; more where the processor is busy with something else.",
  ),
  traceBufferBytes: whole(
    { from: 1_048_576, to: 17_179_869_184, usual: 134_217_728 },
    "Most bytes of traces that wait in memory until they are written, to the store or to disk, and of which there are 20,000 at most. Further ones are " +
      "dropped and counted; with `trace_redact`, texts are left out from half of it on, unless a full disk has filled it. Beside them, as many of the " +
      "texts of all streamed answers that have not ended. When these fill " +
      "up, the longest are no longer kept whole, as beyond `trace_max_text_characters`; and as many of the texts of streamed responses, which their last event repeats: beyond it a stream fails.",
  ),
  traceSpillMaxBytes: whole(
    { from: 0, to: 1_099_511_627_776, usual: 1_073_741_824 },
    "Most bytes of traces in `data_dir`/spill, which holds them while the store is down or slow. Further ones wait in " +
      "memory. 0 keeps none on disk.",
  ),
  traceQueryTimeoutMs: milliseconds(
    30_000,
    "Longest time for one search of traces, and for each part of an export, in milliseconds.",
  ),
  traceMemoryBytes: whole(
    { from: 134_217_728, to: 1_099_511_627_776, usual: 536_870_912 },
    "Most memory of the DuckDB store, in bytes; an answer of ClickHouse may have an eighth of it. A search that needs more fails with a message.",
  ),
};
