import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import type { AddedModelReport } from "../../../src/cli/profile/add-model.js";
import { profileCommand } from "../../../src/cli/profile/profile.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { cliRun } from "../../fakes/cli-context.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

async function run(argv: readonly string[], folder: string) {
  const { context, stdout } = cliRun({ workingDirectory: folder });
  const program = new Command().exitOverride().addCommand(profileCommand(context));
  const failed = await program.parseAsync(["profile", ...argv], { from: "user" }).then(
    () => undefined,
    (error: Error & { exitCode?: number }) => error,
  );
  return {
    stdout: stdout(),
    exitCode: failed === undefined ? 0 : (failed.exitCode ?? -1),
    failure: failed?.message ?? "",
  };
}

/** Six models, of which two are placed by these scores alone. */
function sampleScores(models: readonly string[]): string {
  return lines(
    [...models, "extra-1", "extra-2"].flatMap((model, index) =>
      ["gpqa", "hle"].map((benchmark, hard) => ({
        model,
        benchmark,
        score: 0.75 - 0.08 * index - 0.2 * hard,
        source: "https://example.org",
      })),
    ),
  );
}

const built = { folder: "", models: [] as string[] };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sextant-test-"));
  const rows = (await readFile(join(SAMPLE, "outcomes.jsonl"), "utf8")).trim().split("\n");
  built.models = [...new Set(rows.map((row) => (JSON.parse(row) as { model: string }).model))];
  await writeFile(join(folder, "scores.jsonl"), sampleScores(built.models));
  const argv = ["build", "--prompts", SAMPLE, "--outcomes", SAMPLE, "--scores", "scores.jsonl"];
  expect(await run([...argv, "--out", "set"], folder)).toMatchObject({ exitCode: 0 });
  built.folder = join(folder, "set");
  return () => rm(folder, { recursive: true, force: true });
});

/** A folder with the set in `set`, and files beside it. */
async function folderWithSet(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await folderWith(files);
  await cp(built.folder, join(folder, "set"), { recursive: true });
  return folder;
}

const add = (...argv: readonly string[]) => ["add-model", "newcomer", "--set", "set", ...argv];
const GOOD = ["--benchmark", "gpqa=.84", "--benchmark", "hle=.5"];

/** Ids of prompts of the sample. */
async function sampleIds(count: number): Promise<string[]> {
  const rows = (await readFile(join(SAMPLE, "prompts.jsonl"), "utf8")).trim().split("\n");
  return rows.slice(0, count).map((row) => (JSON.parse(row) as { id: string }).id);
}

describe("sextant profile add-model", () => {
  it("places a model by published scores and reports the evidence", async () => {
    const folder = await folderWithSet();
    const { stdout, exitCode } = await run(add(...GOOD, "--source", "https://example.org"), folder);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Placed newcomer in profile set "set": expected quality 0\.\d{3} ± 0\.\d{3} over all topics \(\d(st|nd|rd|th) of 7 models\)\.$/m,
    );
    expect(stdout).toContain(
      "It rests on 2 published scores (gpqa, hle) and what is known of its family, date and price.",
    );
    expect(stdout).toContain(`sextant profile drop-model newcomer --set ${join(folder, "set")}`);
    expect(existsSync(join(folder, "set/models/newcomer.profile"))).toBe(true);
    const inspected = await run(["inspect", "set"], folder);
    expect(inspected.stdout).toContain("newcomer");
  });

  it("accepts scores from options, a JSON object and rows, with the same result", async () => {
    const folder = await folderWithSet({
      "scores.json": '{"gpqa": 0.84, "hle": 0.5}',
      "scores.jsonl": lines([
        { model: "newcomer", benchmark: "gpqa", score: 0.84, source: "a", date: "2026-08-01" },
        { model: "newcomer", benchmark: "hle", score: 0.5, source: "b" },
        { model: "another", benchmark: "hle", score: 0.1, source: "b" },
      ]),
    });
    const report = async (...argv: readonly string[]) =>
      JSON.parse((await run(add(...argv, "--dry-run", "--json"), folder)).stdout) as AddedModelReport;
    const typed = await report(...GOOD);
    const rows = await report("--scores", "scores.jsonl");
    expect((await report("--scores", "scores.json")).expected_quality).toBe(typed.expected_quality);
    expect(rows.expected_quality).toBe(typed.expected_quality);
    expect(rows.rests_on.scores[0]).toEqual({
      benchmark: "gpqa",
      score: 0.84,
      source: "a",
      date: "2026-08-01",
    });
    expect(rows).toMatchObject({ path: null, basis: "placed", other_models: 6 });
    expect(existsSync(join(folder, "set/models/newcomer.profile"))).toBe(false);
  });

  it("places a model by graded answers to prompts of the set and to other prompts", async () => {
    const ids = await sampleIds(20);
    const folder = await folderWithSet({
      "graded.jsonl": lines([
        ...ids.map((id, index) => ({
          id,
          model: "newcomer",
          score: index % 4 === 0 ? 0 : 1,
          tokens_out: 300,
        })),
        ...["own-1", "own-2"].map((id) => ({ id, model: "newcomer", score: 1 })),
      ]),
      "mine.jsonl": lines([
        { id: "own-1", prompt: "What is 17 + 25?" },
        { id: "own-2", prompt: "A baker sells 12 loaves an hour. How many in 5 hours?" },
      ]),
    });
    const { stdout } = await run(
      add("--outcomes", "graded.jsonl", "--prompts", "mine.jsonl", "--dry-run", "--json"),
      folder,
    );
    const { rests_on: evidence, basis } = JSON.parse(stdout) as AddedModelReport;
    expect(basis).toBe("measured");
    expect(evidence.answers).toBe(20);
    expect(evidence.own_answers + evidence.own_answers_left_out).toBe(2);
  });

  it("uses answers to prompts of the set as such where --prompts has these prompts", async () => {
    const rows = (await readFile(join(SAMPLE, "prompts.jsonl"), "utf8")).trim().split("\n").slice(0, 20);
    const prompts = rows.map((row) => JSON.parse(row) as { id: string; prompt: string });
    const own = { id: "own", prompt: prompts[0]?.prompt };
    // An id of the set with another text is a prompt of one's own.
    const [first, ...others] = prompts;
    const renumbered = { ...first, prompt: "A baker sells 12 loaves an hour. How many in 5 hours?" };
    const graded = (ids: readonly { readonly id?: string }[]) =>
      lines(ids.map(({ id }, index) => ({ id, model: "newcomer", score: index % 4 === 0 ? 0 : 1 })));
    const folder = await folderWithSet({
      "graded.jsonl": graded(prompts),
      "prompts.jsonl": lines(prompts),
      "mixed.jsonl": lines([renumbered, ...others, own]),
      "mixed-graded.jsonl": graded([renumbered, ...others, own]),
    });
    const report = async (...argv: readonly string[]) =>
      JSON.parse((await run(add(...argv, "--dry-run", "--json"), folder)).stdout) as AddedModelReport;
    const alone = await report("--outcomes", "graded.jsonl");
    expect(alone.rests_on).toMatchObject({ answers: 20, own_answers: 0 });
    expect(await report("--outcomes", "graded.jsonl", "--prompts", "prompts.jsonl")).toEqual(alone);
    const mixed = ["--outcomes", "mixed-graded.jsonl", "--prompts", "mixed.jsonl"];
    expect((await report(...mixed)).rests_on).toMatchObject({ answers: 19, own_answers: 2 });
    expect((await run(add(...mixed, "--dry-run"), folder)).stdout).toContain(
      "It rests on 19 graded answers to prompts of the set and 2 graded answers to prompts of your own and ",
    );
  });

  it("is deterministic to the byte, and drop-model undoes it", async () => {
    const folder = await folderWithSet();
    const file = join(folder, "set/models/newcomer.profile");
    const before = await readdir(join(folder, "set"), { recursive: true });
    await run(add(...GOOD), folder);
    const first = await readFile(file);
    expect((await run(add(...GOOD, "--force"), folder)).exitCode).toBe(0);
    expect((await readFile(file)).equals(first)).toBe(true);
    const dropped = await run(["drop-model", "newcomer", "--set", "set"], folder);
    expect(dropped).toMatchObject({ exitCode: 0, stdout: `Dropped newcomer: removed ${file}\n` });
    expect(await readdir(join(folder, "set"), { recursive: true })).toEqual(before);
  });

  it("writes a set without a model elsewhere with drop-model --out, and leaves the set as it is", async () => {
    const folder = await folderWithSet();
    const before = await readFile(join(folder, "set/manifest.json"), "utf8");
    const argv = ["drop-model", "extra-1", "--set", "set", "--out", "smaller"];
    expect(await run(argv, folder)).toMatchObject({
      exitCode: 0,
      stdout: `Wrote the set without extra-1 to ${join(folder, "smaller")}\n`,
    });
    expect(await readFile(join(folder, "set/manifest.json"), "utf8")).toBe(before);
    const models = async (set: string) => {
      const { stdout } = await run(["inspect", set, "--json"], folder);
      return (JSON.parse(stdout) as { models: { model: string }[] }).models.map(({ model }) => model);
    };
    expect(await models("smaller")).toEqual((await models("set")).filter((model) => model !== "extra-1"));
    expect(await run(argv, folder)).toMatchObject({
      exitCode: 1,
      failure: `--out ${join(folder, "smaller")} holds a profile set already; name a new folder.`,
    });
    const unknown = await run(["drop-model", "extra-9", "--set", "set", "--out", "other"], folder);
    expect(unknown.failure).toContain('"extra-9" is no model of set "set"');
    expect((await readdir(folder)).filter((name) => name.startsWith("other"))).toEqual([]);
  });

  it("replaces a model of the build only with --replace, and leaves a readable set", async () => {
    const folder = await folderWithSet();
    const argv = ["add-model", "extra-1", "--set", "set", ...GOOD];
    expect(await run(argv, folder)).toMatchObject({
      exitCode: 2,
      failure: '"extra-1" came with set "set" already; use --force to replace its profile',
    });
    expect((await run([...argv, "--force"], folder)).exitCode).toBe(0);
    expect((await run(["inspect", "set"], folder)).exitCode).toBe(0);
  });

  it.each([
    {
      argv: [],
      failure:
        "say what to place the model by: --benchmark NAME=SCORE, --scores FILE, --outcomes FILE or --like MODEL",
    },
    {
      argv: ["--benchmark", "gpqa"],
      failure: '--benchmark is "gpqa"; write a name and a score such as gpqa=0.84',
    },
    {
      argv: ["--benchmark", "gpqa=84"],
      failure: "--benchmark gpqa is 84, not a number in [0, 1]; divide percentages by 100: 0.84",
    },
    {
      argv: ["--benchmark", "gpqa=84%"],
      failure: "--benchmark gpqa is 84%; write it as 0.84",
    },
    {
      argv: ["--benchmark", "gpqq=.84"],
      failure: '"gpqq" is no benchmark that set "set" knows; did you mean "gpqa"',
    },
    {
      argv: ["--benchmark", "zzzzzzzzz=.84"],
      failure:
        '"zzzzzzzzz" is no benchmark that set "set" knows; leave it out, or name one such as gpqa, hle, chat',
    },
    {
      argv: ["--like", "extra-3"],
      failure: '--like is "extra-3", which is no model of set "set"; did you mean "extra-1"',
    },
    {
      argv: [...GOOD, "--released", "soon"],
      failure: '--released is "soon"; write a date such as 2026-01-31',
    },
    {
      argv: [...GOOD, "--price-output", "-1"],
      failure:
        "--price-output is -1, not 0 or from 0.001 to 10000; write US dollars for a million tokens of output",
    },
    { argv: [...GOOD, "--effort", "hard"], failure: '--effort is "hard"; write one of none, minimal, low' },
    {
      argv: ["--prompts", "mine.jsonl"],
      failure: "--prompts needs --outcomes: the graded answers to these prompts",
    },
    {
      argv: ["--outcomes", "unknown.jsonl"],
      failure: '"nowhere" is no prompt of set "set" (sources set); write ids as these sources do',
    },
    { argv: ["--outcomes", "other.jsonl"], failure: 'no row is of "newcomer"; did you mean "newcomers"?' },
    {
      argv: ["--scores", "percent.json"],
      failure: "is 84, not a number in [0, 1]; divide percentages by 100: 0.84",
    },
  ])("refuses invalid arguments: $argv", async ({ argv, failure }) => {
    const folder = await folderWithSet({
      "unknown.jsonl": lines([{ id: "nowhere", model: "newcomer", score: 1 }]),
      "other.jsonl": lines([{ id: "nowhere", model: "newcomers", score: 1 }]),
      "percent.json": '{"gpqa": 84}',
    });
    const ran = await run(add(...argv), folder);
    expect(ran.exitCode).toBeGreaterThan(0);
    expect(ran.failure).toContain(failure);
  });

  it.each([
    ["1e308", "is 1e+308"],
    ["100000", "is 100000"],
    ["0.0000045", "is 0.0000045"],
    ["free", "is NaN"],
  ])("refuses a slip of units in a price, %s", async (price, problem) => {
    const { exitCode, failure } = await run(
      add("--like", "extra-1", "--price-output", price),
      await folderWithSet(),
    );
    expect(exitCode).toBe(2);
    expect(failure).toContain(
      `--price-output ${problem}, not 0 or from 0.001 to 10000; write US dollars for a million tokens`,
    );
  });

  it("drops an added model whose profile cannot be used, and names it until then", async () => {
    const folder = await folderWithSet();
    await run(add(...GOOD), folder);
    await writeFile(join(folder, "set/models/newcomer.profile"), "damaged");
    expect((await run(["inspect", "set"], folder)).failure).toContain("newcomer");
    expect((await run(["drop-model", "newcomer", "--set", "set"], folder)).exitCode).toBe(0);
    expect((await run(["inspect", "set"], folder)).exitCode).toBe(0);
  });

  it("asks to rebuild a set that was built without the data for placement", async () => {
    const folder = await folderWithSet();
    const path = join(folder, "set/manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    manifest.files = manifest.files.filter((file: { path: string }) => file.path !== "abilities.json");
    await writeFile(path, JSON.stringify(manifest));
    expect((await run(add(...GOOD), folder)).failure).toContain(
      "without which no model can be placed in the set. Build the set again.",
    );
  });
});
