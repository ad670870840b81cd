import type { Command } from "commander";
import type { PromptColumns } from "../../workbench/prompts/read-prompts.js";

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
