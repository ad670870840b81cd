/** Commands of `sextant profile`, and the sample that the tests build sets from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../../../src/cli/program.js";
import { openRouterFromSettings } from "../../../src/engine/open-router.js";
import { type CliRunOptions, cliRun } from "../../fakes/cli-context.js";

export const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
/** What a command gets to build from, or to judge by, all of the sample. */
export const ALL_OF_SAMPLE = `--prompts ${SAMPLE} --outcomes ${SAMPLE}`;

export type Row = Readonly<Record<string, unknown>>;

export const rowsOf = (path: string): Row[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

export const sampleRows = (name: "prompts" | "outcomes"): Row[] => rowsOf(join(SAMPLE, `${name}.jsonl`));

export const jsonLines = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Every third prompt of the sample is held out: rows of these, or of the others. */
export function partOfSample(name: "prompts" | "outcomes", part: "held out" | "known"): string {
  const held = new Set(sampleRows("prompts").flatMap(({ id }, index) => (index % 3 === 0 ? [id] : [])));
  return jsonLines(sampleRows(name).filter(({ id }) => held.has(id) === (part === "held out")));
}

interface Given extends Omit<CliRunOptions, "workingDirectory"> {
  /** Arguments after those of the line, which spaces divide. */
  readonly more?: readonly string[];
}

/** Runs `sextant LINE` in a folder, with the router of the settings unless one is given. */
export async function sextant(folder: string, line: string, { more = [], ...given }: Given = {}) {
  const cli = cliRun({ workingDirectory: folder, ...given });
  const context = given.router ? cli.context : { ...cli.context, openRouter: openRouterFromSettings };
  const exitCode = await runCli([...line.split(" ").filter((word) => word !== ""), ...more], context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}
