import { readFile } from "node:fs/promises";
import type { Grader } from "../../workbench/graders/grader.js";
import {
  choiceGrader,
  commandGrader,
  exactGrader,
  jsonSchemaGrader,
  judgeGrader,
  MOST_TIMEOUT_MS,
  numberGrader,
  regexGrader,
} from "../../workbench/index.js";
import { CommandFailure } from "../context.js";
import { flagOf } from "./explained.js";

/** Ways to grade, with the options that each has. */
const OPTIONS_OF = {
  exact: [],
  number: ["tolerance"],
  choice: [],
  regex: ["pattern", "matchTimeout"],
  "json-schema": ["schema", "matchTimeout"],
  command: ["command", "commandTimeout"],
  judge: ["judge", "rubric"],
} as const;

export const GRADES = Object.keys(OPTIONS_OF) as (keyof typeof OPTIONS_OF)[];

export interface GraderOptions {
  readonly grade: keyof typeof OPTIONS_OF;
  readonly tolerance?: string;
  readonly pattern?: string;
  /** Path. */
  readonly schema?: string;
  /** Seconds. */
  readonly matchTimeout?: string;
  readonly command?: string;
  /** Seconds. */
  readonly commandTimeout?: string;
  readonly judge?: string;
  /** Path. */
  readonly rubric?: string;
}

/**
 * The grader that the options describe.
 *
 * @throws CommandFailure on options that contradict each other or are missing; WorkbenchError on a pattern or schema that is not valid
 */
export async function graderFrom(
  options: GraderOptions,
  { workingDirectory }: { readonly workingDirectory: string },
): Promise<Grader> {
  refuseOthers(options);
  const { pattern, tolerance, schema, command, judge, rubric } = options;
  switch (options.grade) {
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
        ...(schema === undefined ? {} : { schema: await readJson(schema) }),
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
      });
  }
}

function refuseOthers({ grade, ...given }: GraderOptions): void {
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

/** @throws CommandFailure when it is no number of at least 0 */
function numberFrom(flag: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new CommandFailure(`${flag} is "${text}", not a number of at least 0`, 2);
}

/** @throws CommandFailure when it is no time that a timer takes */
function timeoutFrom(flag: string, text: string | undefined): { readonly timeoutMs?: number } {
  if (text === undefined) return {};
  const timeoutMs = Math.round(1000 * numberFrom(flag, text));
  if (timeoutMs >= 1 && timeoutMs <= MOST_TIMEOUT_MS) return { timeoutMs };
  throw new CommandFailure(`${flag} is "${text}", not a number of seconds from 0.001 to 2147483`, 2);
}

async function readJson(path: string): Promise<unknown> {
  const text = await readText("--schema", path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`--schema ${path} is not JSON: ${detail}`, 2);
  }
}

function readText(flag: string, path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => {
    throw new CommandFailure(`${flag} ${path} cannot be read; check the path`, 2);
  });
}
