import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { parseWrittenJson } from "../../foundation/written-json.js";
import type { JudgeGrader, LocalGrader, PromptGrader } from "../../workbench/graders/grader.js";
import {
  choiceGrader,
  commandGrader,
  exactGrader,
  JUDGE_SCALES,
  jsonSchemaGrader,
  judgeGrader,
  MOST_TIMEOUT_MS,
  numberGrader,
  regexGrader,
} from "../../workbench/index.js";
import type { WorkbenchPrompt } from "../../workbench/prompts/prompt.js";
import { choice, flagOf, type OptionsOf, option } from "../command.js";
import { CommandFailure } from "../context.js";
import { path } from "../options.js";

/** Ways to grade, with the options that each has. */
const OPTIONS_OF = {
  exact: [],
  number: ["tolerance"],
  choice: [],
  regex: ["pattern", "matchTimeout"],
  "json-schema": ["schema", "matchTimeout"],
  command: ["command", "commandTimeout"],
  judge: ["judge", "rubric", "judgeScale"],
} as const;

type Grade = keyof typeof OPTIONS_OF;

export const GRADES = Object.keys(OPTIONS_OF) as Grade[];

export const GRADER_OPTIONS = {
  tolerance: option("<share>", "number: largest relative difference; default: 0.000001"),
  pattern: option("<regex>", "regex: what an answer must match; default: its reference"),
  schema: option("<file>", "json-schema: what an answer must fit; default: its reference", path),
  matchTimeout: option("<seconds>", "regex, json-schema: longest time for one answer; default: 5"),
  command: option("<command>", "command: reads an answer as JSON, prints a number from 0 to 1"),
  commandTimeout: option("<seconds>", "command: longest time for one answer; default: 60"),
  judge: option("<model>", "judge: model that grades"),
  rubric: option("<file>", "judge: what makes an answer good, as text", path),
  judgeScale: choice(
    "<scale>",
    "judge: where there is a reference, 1 for an answer that is better (comparison), or at least as good (reference)",
    JUDGE_SCALES,
  ),
};

/** `grade` is of prompts that name no way of their own. */
type GraderOptions = OptionsOf<typeof GRADER_OPTIONS> & { readonly grade?: Grade };

interface Grading {
  readonly workingDirectory: string;
  readonly prompts: readonly WorkbenchPrompt[];
}

/**
 * The grader that the options describe; where prompts have one of their own (`grade`), or a pattern or schema, one for each of those.
 *
 * @throws CommandFailure on options that contradict each other or are missing; WorkbenchError on a pattern or schema that is not valid
 */
export async function graderFrom(
  options: GraderOptions,
  { workingDirectory, prompts }: Grading,
): Promise<LocalGrader | JudgeGrader | PromptGrader> {
  const ways = new Map(prompts.map((prompt) => [wayOf(prompt), prompt]));
  if (options.grade !== undefined && [...ways.keys()].every((way) => way === wayOf({}))) {
    refuseOthers(options.grade, options);
    return graderNamed(options.grade, options, workingDirectory);
  }
  const graders = new Map<string, LocalGrader | JudgeGrader>();
  for (const [way, prompt] of ways) {
    const grade = gradeOf(prompt, options);
    const pattern = prompt.pattern ?? options.pattern;
    const own = {
      ...options,
      ...(pattern !== undefined && { pattern }),
      ownSchema: prompt.schema ?? undefined,
    };
    graders.set(way, await graderNamed(grade, own, workingDirectory));
  }
  return {
    kind: "by-prompt",
    name: "by prompt",
    graderOf: (prompt) => graders.get(wayOf(prompt)) as LocalGrader | JudgeGrader,
  };
}

const wayOf = ({ grade, pattern, schema }: Pick<WorkbenchPrompt, "grade" | "pattern" | "schema">): string =>
  JSON.stringify([grade ?? null, pattern ?? null, schema ?? null]);

function gradeOf({ id, grade, pattern, schema }: WorkbenchPrompt, options: GraderOptions): Grade {
  const given = grade ?? options.grade;
  const prompt = `the prompt ${JSON.stringify(id)}`;
  if (given === undefined)
    throw new CommandFailure(
      `${prompt} has no \`grade\`; fill the column, or name one for such rows with --grade`,
      2,
    );
  const known = GRADES.find((name) => name === given);
  if (known === undefined)
    throw new CommandFailure(
      `${prompt} has the \`grade\` ${JSON.stringify(given)}, not one of ${GRADES.join(", ")}`,
      2,
    );
  const ofOther =
    typeof pattern === "string" && known !== "regex"
      ? "pattern"
      : typeof schema === "string" && known !== "json-schema"
        ? "schema"
        : undefined;
  if (ofOther === undefined) return known;
  throw new CommandFailure(
    `${prompt} has a \`${ofOther}\`, which --grade ${known} does not use; empty one of the two`,
    2,
  );
}

interface NamedOptions extends Omit<GraderOptions, "grade"> {
  /** As JSON, of a prompt. */
  readonly ownSchema?: string | undefined;
}

async function graderNamed(
  grade: Grade,
  options: NamedOptions,
  workingDirectory: string,
): Promise<LocalGrader | JudgeGrader> {
  const { pattern, tolerance, schema, ownSchema, command, judge, rubric } = options;
  switch (grade) {
    case "exact":
      return exactGrader();
    case "choice":
      return choiceGrader();
    case "regex":
      return regexGrader({ pattern, ...timeoutFrom("--match-timeout", options.matchTimeout) });
    case "number":
      return numberGrader(tolerance === undefined ? {} : { tolerance: numberFrom("--tolerance", tolerance) });
    case "json-schema":
      return jsonSchemaGrader({
        ...(ownSchema === undefined ? {} : { schema: readSchema(() => ownSchema, "the column `schema`") }),
        ...(ownSchema !== undefined || schema === undefined
          ? {}
          : { schema: readSchema(() => readFileSync(schema, "utf8"), `--schema ${schema}`) }),
        ...timeoutFrom("--match-timeout", options.matchTimeout),
      });
    case "command":
      if (command === undefined) throw missing("command", '--command "python grade.py"');
      return commandGrader({
        command,
        workingDirectory,
        ...timeoutFrom("--command-timeout", options.commandTimeout),
      });
    case "judge":
      if (judge === undefined) throw missing("judge", "--judge MODEL");
      return judgeGrader({
        model: judge,
        rubric: rubric === undefined ? undefined : await readText("--rubric", rubric),
        scale: options.judgeScale,
      });
  }
}

function refuseOthers(grade: Grade, given: GraderOptions): void {
  const own: readonly string[] = OPTIONS_OF[grade];
  for (const [kind, names] of Object.entries(OPTIONS_OF)) {
    const other = names.find((name) => !own.includes(name) && given[name] !== undefined);
    if (other !== undefined)
      throw new CommandFailure(
        `${flagOf(other)} belongs to --grade ${kind}, not to --grade ${grade}; leave one out`,
        2,
      );
  }
}

const missing = (grade: string, flag: string): CommandFailure =>
  new CommandFailure(`--grade ${grade} needs ${flag}`, 2);

/** @throws CommandFailure when it is not a number of at least 0 */
function numberFrom(flag: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new CommandFailure(`${flag} is "${text}", not a number of at least 0`, 2);
}

/** @throws CommandFailure when it is not a time that a timer takes */
function timeoutFrom(flag: string, text: string | undefined): { readonly timeoutMs?: number } {
  if (text === undefined) return {};
  const timeoutMs = Math.round(1000 * numberFrom(flag, text));
  if (timeoutMs >= 1 && timeoutMs <= MOST_TIMEOUT_MS) return { timeoutMs };
  throw new CommandFailure(`${flag} is "${text}", not a number of seconds from 0.001 to 2147483`, 2);
}

const readSchema = (read: () => string, name: string): unknown =>
  parseWrittenJson(read, (detail) => new CommandFailure(`${name} is not JSON: ${detail}`, 2));

function readText(flag: string, file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => {
    throw new CommandFailure(`${flag} ${file} cannot be read; check the path`, 2);
  });
}
