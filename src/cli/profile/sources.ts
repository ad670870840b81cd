import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import type { SetToBuild } from "../../compose/build-set.js";
import { parseWrittenJson } from "../../foundation/written-json.js";
import { type OptionsOf, option } from "../command.js";
import { CommandFailure } from "../context.js";
import { path } from "../options.js";

/** The options of `profile build` that say what to build from, and where to. */
export const SOURCE_OPTIONS = {
  prompts: option(
    "<path>",
    "prompts: .jsonl, .csv or .parquet, a file or a folder; may be repeated",
    path,
  ).repeated(),
  outcomes: option(
    "<path>",
    "outcomes: .parquet, .csv or .jsonl, a file or a folder; may be repeated",
    path,
  ).repeated(),
  scores: option(
    "<file>",
    "published scores that models are also placed by, .jsonl or .csv; may be repeated",
    path,
  ).repeated(),
  traffic: option(
    "<path>",
    "prompts like those the set will decide, for measuring the mean cost of a request; may be repeated",
    path,
  ).repeated(),
  config: option(
    "<file>",
    "JSON file with the name and sources of the set, instead of --prompts and --outcomes",
    path,
  ),
  data: option("<folder>", "folder that the paths in --config are relative to; default: its own", path),
  out: option("<folder>", "folder of the set to write", path).required(),
  name: option("<name>", "name of the set; default: that of --config, or of the folder"),
};

type SourceOptions = OptionsOf<typeof SOURCE_OPTIONS>;

/** What was called wrongly; the exit code says so. */
function usageFailure(message: string): CommandFailure {
  return new CommandFailure(message, 2);
}

const oneOrMore = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((paths) => [paths].flat());

const orNull = (text: string | undefined): string | null => text ?? null;

const buildFile = z.strictObject({
  name: z.string().min(1).describe("Name of the profile set."),
  sources: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe("Unique; prefixes the prompt ids of the source."),
        prompts: oneOrMore.describe("Files or folders, relative to `--data`."),
        outcomes: oneOrMore.describe("Files or folders, relative to `--data`."),
        licence: z.string().min(1).optional().transform(orNull),
        commit: z.string().min(1).optional().transform(orNull),
        url: z.url().optional().transform(orNull),
        lengths: z
          .enum(["visible", "total"])
          .default("total")
          .describe("Whether tokens of answers leave hidden reasoning out (`visible`)."),
        seconds: z
          .string()
          .min(1)
          .optional()
          .describe("Column with the seconds of a whole answer, instead of `latency_ms`."),
        only: z
          .record(z.string().min(1), z.array(z.union([z.string(), z.number()])).min(1))
          .optional()
          .describe("Values of fields of prompts and outcomes; other rows are not read."),
      }),
    )
    .min(1),
  candidates: z
    .enum(["all", "served"])
    .optional()
    .describe("`served`: models that no provider is known to run are no candidates."),
  scores: oneOrMore.optional().describe("Files of published scores, relative to `--data`."),
  traffic: oneOrMore
    .optional()
    .describe(
      "Prompts like those that the set will decide on, relative to `--data`: the mean cost of a request is measured on them.",
    ),
});

/**
 * What `profile build` was asked to build: a build file (`--config`), or prompts and outcomes, which are one source.
 *
 * @throws CommandFailure when options are missing, contradict each other, or the build file breaks its schema
 */
export async function planBuild(options: SourceOptions): Promise<SetToBuild> {
  if (options.config === undefined) return planFromOptions(options);
  if (options.outcomes ?? options.prompts) {
    throw usageFailure("--config names the sources already; leave out --outcomes and --prompts");
  }
  return planFromFile(options.config, options);
}

function planFromFile(config: string, options: SourceOptions): SetToBuild {
  const refusal = (detail: string) =>
    usageFailure(`${config}: the build file cannot be read as JSON: ${detail}`);
  const parsed = buildFile.safeParse(parseWrittenJson(() => readFileSync(config, "utf8"), refusal));
  if (!parsed.success) throw usageFailure(`${config}: ${z.prettifyError(parsed.error)}`);
  const data = options.data ?? dirname(config);
  const within = (paths: readonly string[]) => paths.map((path) => resolve(data, path));
  return {
    name: options.name ?? parsed.data.name,
    candidates: parsed.data.candidates,
    scores: [...within(parsed.data.scores ?? []), ...(options.scores ?? [])],
    traffic: [...within(parsed.data.traffic ?? []), ...(options.traffic ?? [])],
    sources: parsed.data.sources.map((source) => ({
      ...source,
      prompts: within(source.prompts),
      outcomes: within(source.outcomes),
    })),
  };
}

function planFromOptions({
  prompts = [],
  outcomes = [],
  scores = [],
  ...options
}: SourceOptions): SetToBuild {
  if (prompts.length === 0 || outcomes.length === 0) {
    throw usageFailure(
      "name what to build from: --prompts and --outcomes (files or folders), or --config FILE",
    );
  }
  const name = options.name ?? basename(resolve(options.out));
  const unnamed = { licence: null, commit: null, url: null };
  return { name, scores, traffic: options.traffic, sources: [{ ...unnamed, name, prompts, outcomes }] };
}
