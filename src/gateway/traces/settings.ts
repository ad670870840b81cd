import { z } from "zod";
import { field, milliseconds, oneOf, switchField, whole, wholeOrNone } from "../settings/field.js";

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
    "Whether traces are kept at all. Without them the trace routes answer 503 `store_down`; inference goes on.",
  ),
  traceStore: oneOf(
    { values: ["duckdb", "clickhouse"], usual: "duckdb" },
    "Where traces are kept: `duckdb`, a file in `data_dir` for one process, or `clickhouse`, a server that several " +
      "instances share.",
  ),
  clickhouseUrl: field(
    z.url({ protocol: /^https?$/ }).optional(),
    "ClickHouse server for `trace_store` `clickhouse`, with user, password and database if any.",
    { expects: "a URL such as http://default:secret@localhost:8123/sextant", secret: true },
  ),
  traceContent: switchField(
    { usual: true },
    "Whether traces hold the texts of prompts, answers and reasoning; otherwise these are written nowhere.",
  ),
  traceMaxTextCharacters: whole(
    { from: 100, to: 67_108_864, usual: 4_194_304 },
    "Maximum number of characters that a trace keeps of all messages of a prompt together, of an answer, and of its reasoning. Longer " +
      "texts are cut with a note of their length, keeping the last user message first.",
  ),
  traceRedact: field(
    z.array(usablePattern).default([]),
    "What is [replaced](#redaction) in prompts, answers, reasoning, metadata values and error messages before a trace is " +
      "kept. File only.",
    { expects: "a list of patterns" },
  ),
  traceRetentionDays: wholeOrNone(
    { from: 1, to: 36_500 },
    "Days that traces are kept. Older ones are removed daily: from the file, whose size stays while later traces reuse the " +
      "room, or from ClickHouse by whole months and rewriting the oldest. Default: for ever.",
  ),
  traceFlushMs: whole(
    { from: 1, to: 60_000, usual: 100 },
    "How long finished traces are collected before they are written together, in milliseconds. A crash may lose those of " +
      "twice that time, or of that time and 100 ms if that is longer.",
  ),
  traceBufferBytes: whole(
    { from: 1_048_576, to: 17_179_869_184, usual: 134_217_728 },
    "Maximum bytes of traces that wait in memory (at most 20,000 of them) before they are written; further ones are dropped " +
      "and counted. With `trace_redact`, texts are left out from half of it on, unless the disk is full. As many bytes again " +
      "may hold the texts of all unfinished streams, of which the longest are then cut, and as many the texts of streamed " +
      "responses, beyond which a stream fails.",
  ),
  traceSpillMaxBytes: whole(
    { from: 0, to: 1_099_511_627_776, usual: 1_073_741_824 },
    "Maximum bytes of traces in `data_dir`/spill while the store is down or slow; further ones wait in memory. 0: none on " +
      "disk.",
  ),
  traceQueryTimeoutMs: milliseconds(
    30_000,
    "Longest time for one search of traces, and for each part of an export, in milliseconds.",
  ),
  traceMemoryBytes: whole(
    { from: 134_217_728, to: 1_099_511_627_776, usual: 536_870_912 },
    "Maximum memory of the DuckDB store, in bytes; an answer of ClickHouse may take an eighth of it. A search that needs more " +
      "fails with a message.",
  ),
};
