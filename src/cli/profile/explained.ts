import {
  buildSetOptions,
  collectOptions,
  evaluateSetOptions,
  fromTracesOptions,
  labelNextOptions,
  reportSetOptions,
} from "../../compose/workbench-options.js";
import { ExplainedError, SettingsError } from "../../foundation/errors.js";
import { OptionError } from "../../workbench/index.js";
import type { PromptColumns } from "../../workbench/prompts/read-prompts.js";
import {
  type CommandSpec,
  command,
  flagOf,
  type MakeCommand,
  type OptionSpecs,
  type OptionsOf,
  option,
  type Read,
} from "../command.js";
import { CommandFailure } from "../context.js";
import { path } from "../options.js";

const INTERRUPTED = 130;

/** Options that messages of the workbench name by their fields, where the flag has the same name. */
const NAMED: ReadonlySet<string> = new Set([
  ...[
    buildSetOptions,
    collectOptions,
    evaluateSetOptions,
    fromTracesOptions,
    labelNextOptions,
    reportSetOptions,
  ].flatMap(Object.keys),
  "command",
  "like",
  "maxLoss",
  "pattern",
  "sample",
  "tolerance",
]);

/** Flags of fields with another name. */
const FLAGS: Readonly<Record<string, string>> = {
  folder: "--out",
  replace: "--force",
  builtIn: "--force",
  pool: "--prompts",
  size: "--sample",
  "update.set": "--update",
};

/** A message of the workbench with flags instead of the options' fields. */
const withFlags = (message: string, names: readonly string[]): string =>
  message.replaceAll(
    /`(?:options\.)?((?:\w+\.)*(\w+))(?:\[\d+\])?`/g,
    (whole, path: string, name: string) =>
      FLAGS[path] ?? FLAGS[name] ?? (NAMED.has(name) && names.includes(name) ? flagOf(name) : whole),
  );

/** The command was stopped, and can go on. */
export const stopped = (): CommandFailure =>
  new CommandFailure("stopped; run the same command to go on", INTERRUPTED);

/** A command whose files and options are explained by the messages of the workbench; being stopped is no bug either. */
export const profileSubcommand = <Specs extends OptionSpecs>(
  name: string,
  spec: CommandSpec<Specs>,
): MakeCommand =>
  command(name, {
    ...spec,
    async run(options, context, ...operands) {
      try {
        await spec.run(options, context, ...operands);
      } catch (error) {
        if (context.signal.aborted) throw stopped();
        const isPlain = error instanceof CommandFailure || error instanceof SettingsError;
        if (isPlain || !(error instanceof ExplainedError)) throw error;
        const message = withFlags(error.message, Object.keys(spec.options));
        throw new CommandFailure(message, error instanceof OptionError ? 2 : 1);
      }
    },
  });

/** The number of a flag. A text that is not a number is left to the schema of the options, which names it. */
export const number: Read<number> = (text) => {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(value) ? (text as unknown as number) : value;
};

/** Where a file of prompts has what. */
export const COLUMN_OPTIONS = {
  promptColumn: option("<name>", "column of the prompt; default: prompt, else messages"),
  referenceColumn: option("<name>", "column of the right answer; default: reference"),
  idColumn: option("<name>", "column of the id; default: id, else made from the prompt"),
};

export const columnsOf = (options: OptionsOf<typeof COLUMN_OPTIONS>): PromptColumns => ({
  prompt: options.promptColumn,
  reference: options.referenceColumn,
  id: options.idColumn,
});

export const SET_OPTION = {
  set: option("<folder>", "profile set, or a folder of several; default: SEXTANT_PROFILES", path),
};
