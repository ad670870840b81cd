import { resolve } from "node:path";
import type { Command } from "commander";
import { ExplainedError, SettingsError } from "../../foundation/errors.js";
import { OptionError } from "../../workbench/index.js";
import type { PromptColumns } from "../../workbench/prompts/read-prompts.js";
import { type CliContext, CommandFailure } from "../context.js";

const INTERRUPTED = 130;

/** Options that are flags of the same name. */
const SAME_NAME = [
  ...["set", "prompts", "outcomes", "models", "scores", "name", "seed", "builtAt", "embedder"],
  ...[
    "costWeight",
    "includeKnown",
    "minCoverage",
    "save",
    "like",
    "count",
    "mostPoints",
    "system",
    "maxLoss",
  ],
  ...["temperature", "maxTokens", "maxUsd", "concurrency", "providerConcurrency", "lostCalls", "sample"],
  ...["tolerance", "pattern", "command"],
];

/** `commandTimeout` → `--command-timeout` */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The flag of each option that messages of the workbench name, by its field. */
const FLAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SAME_NAME.map((name) => [name, flagOf(name)])),
  folder: "--out",
  replace: "--force",
  builtIn: "--force",
  pool: "--prompts",
  size: "--sample",
  "update.set": "--update",
};

/** A message of the workbench with the flags in the place of the options' fields. */
const withFlags = (message: string): string =>
  message.replaceAll(
    /`(?:options\.)?((?:\w+\.)*(\w+))(?:\[\d+\])?`/g,
    (whole, path: string, name: string) => FLAGS[path] ?? FLAGS[name] ?? whole,
  );

/** The command was stopped, and can go on. */
export const stopped = (): CommandFailure =>
  new CommandFailure("stopped; run the same command to go on", INTERRUPTED);

/** Runs a command. Faults of the files it was given are explained by their message; being stopped is no bug either. */
export async function explained(context: CliContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (context.signal.aborted) throw stopped();
    const isPlain = error instanceof CommandFailure || error instanceof SettingsError;
    if (isPlain || !(error instanceof ExplainedError)) throw error;
    throw new CommandFailure(withFlags(error.message), error instanceof OptionError ? 2 : 1);
  }
}

/** The number of a flag. A text that is not a number is left to the schema of the options, which names it. */
export function number(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(value) ? (text as unknown as number) : value;
}

export const inFolder = ({ workingDirectory }: CliContext, path: string): string =>
  resolve(workingDirectory, path);

/** For a flag that may be repeated. */
export const several = (path: string, earlier: readonly string[] = []): readonly string[] => [
  ...earlier,
  path,
];

/** Where a file of prompts has what. */
export interface ColumnOptions {
  readonly promptColumn?: string;
  readonly referenceColumn?: string;
  readonly idColumn?: string;
}

export const addColumnOptions = (command: Command): Command =>
  command
    .option("--prompt-column <name>", "column of the prompt; default: prompt, else messages")
    .option("--reference-column <name>", "column of the right answer; default: reference")
    .option("--id-column <name>", "column of the id; default: id, else made from the prompt");

export const columnsOf = ({ promptColumn, referenceColumn, idColumn }: ColumnOptions): PromptColumns => ({
  prompt: promptColumn,
  reference: referenceColumn,
  id: idColumn,
});
