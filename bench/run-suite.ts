import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { RESULTS_FOLDER } from "./report/result-file.js";
import type { Suite } from "./suites.js";

/** Where `npm run bench:compile` puts what `bench/tsconfig.json` names. */
const COMPILED = join("bench", "results", "compiled");

/** A suite that failed, or left no result; the message says which and how. */
export class SuiteError extends Error {
  override readonly name = "SuiteError";
}

/**
 * Runs a suite in a process of its own, so that suites do not affect each other, with its output on this terminal.
 *
 * @returns the path of the result file it wrote
 * @throws SuiteError when it fails or writes none
 */
export async function runSuite(suite: Suite, args: readonly string[]): Promise<string> {
  const before = new Set(await resultFiles(suite));
  if (suite.runs === "compiled") await compileOnce();
  const program =
    suite.runs === "compiled"
      ? [join(COMPILED, suite.entry.replace(/\.ts$/, ".js"))]
      : ["--import", "tsx", suite.entry];
  await run(process.execPath, [...program, ...args]);
  const written = (await resultFiles(suite)).filter((name) => !before.has(name)).at(-1);
  if (written === undefined) throw new SuiteError(`${suite.name} left no result file in ${RESULTS_FOLDER}.`);
  return join(RESULTS_FOLDER, written);
}

let compiled: Promise<void> | undefined;

function compileOnce(): Promise<void> {
  compiled ??= run("npm", ["run", "--silent", "bench:compile"]);
  return compiled;
}

/** Names of the suite's result files, oldest first. */
export async function resultFiles({ name }: Pick<Suite, "name">, folder = RESULTS_FOLDER): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((file) => file.startsWith(`${name}-2`) && file.endsWith(".json")).sort();
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: "inherit" });
  const [code, signal] = await once(child, "exit");
  if (code !== 0)
    throw new SuiteError(
      `${[command, ...args].slice(-3).join(" ")} ended with ${signal ?? `exit status ${code}`}.`,
    );
}
