/** The page about notebooks, run from its first line to its last with the real packages, where pip finds them. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { buildSet } from "../../src/workbench.js";
import { examplesIn } from "../docs/examples.js";
import { chatReply, type Gateway, KEY, startGateway } from "../e2e/clients/gateway.js";
import { newFolder, removeFolder } from "../e2e/server-process.js";
import { cliRun } from "../fakes/cli-context.js";
import { pythonWith } from "./python.js";

const execute = promisify(execFile);
const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
const code = examplesIn("python")
  .filter(({ page }) => page === "docs/python.md")
  .map((example) => example.code)
  .join("\n");

const folder = newFolder();
const python = await pythonWith(["openai", "pandas", "pyarrow", "matplotlib"], folder);
const why = python.interpreter === null ? ` (skipped: ${python.why})` : ` with ${python.packages}`;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.openai.answer(chatReply({ content: "Hello!" }));
});
afterAll(async () => {
  await gateway.stop();
  removeFolder(folder);
});

/** Runs `sextant` in the folder. @returns what it printed */
async function sextant(...argv: string[]): Promise<string> {
  const cli = cliRun({ workingDirectory: folder });
  const exitCode = await runCli(argv, { ...cli.context, openRouter: openRouterFromSettings });
  expect([exitCode, cli.stderr()]).toEqual([0, expect.any(String)]);
  return cli.stdout();
}

describe(`The page about notebooks${why}`, () => {
  it.skipIf(python.interpreter === null)("runs, and its tables build a set", async () => {
    const settings = { workingDirectory: folder, environment: {} };
    const sources = { prompts: [SAMPLE], outcomes: [SAMPLE] };
    await buildSet({ ...sources, folder: join(folder, "set"), name: "set" }, settings);
    const evaluated = ["profile", "eval", "--set", "set", "--prompts", SAMPLE, "--outcomes", SAMPLE];
    const json = await sextant(...evaluated, "--include-known", "--json");
    writeFileSync(join(folder, "evaluation.json"), json);
    const program = code.replaceAll("http://127.0.0.1:8080", gateway.address);
    const { stdout } = await execute(python.interpreter as string, ["-c", program], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, SEXTANT_API_KEY: KEY },
    });
    expect(stdout).toMatch(/^\S+ \d\.\d+(e-\d+)?\n/);
    for (const id of ["sum", "proof", "code"])
      expect(stdout).toMatch(new RegExp(`^${id} +\\S+ +\\S+ +\\d`, "m"));
    expect(stdout).toMatch(/^mean regret 0\.\d{3} over 120 prompts$/m);
    expect(stdout).toMatch(/expected +seen +answers/);
    expect(readFileSync(join(folder, "frontier.png")).subarray(1, 4).toString()).toBe("PNG");
    const built = ["--prompts", "questions.parquet", "--outcomes", "graded.parquet", "--out", "ours"];
    expect(await sextant("profile", "build", ...built, "--keep-names")).not.toBe("");
    expect(existsSync(join(folder, "ours/manifest.json"))).toBe(true);
  });
});
