import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { profileCommand } from "../../../src/cli/profile/profile.js";
import { readPromptTable } from "../../../src/workbench/prompts/read-prompts.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTests } from "../../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const PROMPTS = join(SAMPLE, "prompts.jsonl");
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

interface Outcome {
  readonly id: string;
  readonly model: string;
  readonly score: number;
}

interface Printed {
  readonly pool: number;
  readonly graded: number;
  readonly unlike: number;
  readonly chosen: readonly string[];
  readonly precision: { readonly expected: number; readonly labels: number };
  readonly topics: readonly { topic: string; chosen: number }[];
}

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

async function outcomesOfSample(): Promise<Outcome[]> {
  const rows = (await readFile(join(SAMPLE, "outcomes.jsonl"), "utf8")).trim().split("\n");
  return rows.map((row) => JSON.parse(row) as Outcome);
}

const folder = folderForTests();
let newcomer = "";
let outcomes: Outcome[] = [];

/** A set of the sample without one of its models. */
beforeAll(async () => {
  outcomes = await outcomesOfSample();
  newcomer = outcomes[0]?.model ?? "";
  const known = outcomes.filter(({ model }) => model !== newcomer);
  await writeFile(join(folder, "known.jsonl"), lines(known));
  const argv = ["build", "--keep-names", "--prompts", SAMPLE, "--outcomes", "known.jsonl", "--out", "set"];
  expect(await run(argv, folder)).toMatchObject({ exitCode: 0 });
});

const next = (...argv: readonly string[]) => [
  ...["label-next", newcomer, "--set", "set", "--prompts", PROMPTS, "--out", "next.jsonl"],
  ...argv,
];
const report = async (argv: readonly string[]) =>
  JSON.parse((await run([...argv, "--json"], folder)).stdout) as Printed;

describe("sextant profile label-next", () => {
  it("writes prompts that collect reads", async () => {
    const { stdout, exitCode, failure } = await run(next("--count", "12"), folder);
    expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: "" });
    expect(stdout).toMatch(
      new RegExp(`^Chose 12 of \\d+ prompts to label for ${newcomer}, which has 0 graded answers\\.$`, "m"),
    );
    expect(stdout).toContain("--prompts ");
    expect(stdout).toMatch(
      /^With these labels its mean quality on such prompts is known to within 2\d\.\d points \(95%\); 2\.0 points take \d{4} graded answers of .* in all, by the spread of the scores of the set's middle model\.$/m,
    );
    const chosen = await readPromptTable(join(folder, "next.jsonl"));
    const all = await readPromptTable(PROMPTS);
    expect(chosen).toHaveLength(12);
    for (const prompt of chosen) expect(all).toContainEqual(prompt);
    expect((await readdir(folder)).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  it("chooses the same prompts again, more of them with a larger count, and others with another seed", async () => {
    const [first, again, more, other] = [
      await report(next("--count", "10")),
      await report(next("--count", "10")),
      await report(next("--count", "25")),
      await report(next("--count", "10", "--seed", "1")),
    ];
    expect(again.chosen).toEqual(first.chosen);
    expect(more.chosen).toEqual(expect.arrayContaining([...first.chosen]));
    expect(other.chosen).not.toEqual(first.chosen);
  });

  it("does not choose graded prompts again", async () => {
    const first = await report(next("--count", "20"));
    const graded = outcomes.filter(({ id, model }) => model === newcomer && first.chosen.includes(id));
    const more = await folderWith({ "graded.jsonl": lines(graded) });
    const second = await report(next("--count", "20", "--outcomes", join(more, "graded.jsonl")));
    expect(second).toMatchObject({ graded: 20, pool: first.pool - 20 });
    expect(second.chosen.filter((id) => first.chosen.includes(id))).toEqual([]);
  });

  it("says how many graded answers a precision takes, by the model's own scores once it has thirty", async () => {
    const first = await report(next("--count", "40"));
    const graded = outcomes.filter(({ id, model }) => model === newcomer && first.chosen.includes(id));
    const more = await folderWith({ "graded.jsonl": lines(graded) });
    const argv = next("--count", "10", "--precision", "5", "--outcomes", join(more, "graded.jsonl"));
    const { precision } = await report(argv);
    const share = graded.reduce((sum, { score }) => sum + score, 0) / 40;
    const variance = (share * (1 - share) * 40) / 39;
    expect(precision).toMatchObject({ spreadOf: "model", wanted: 0.05 });
    // As 0 and 1 are the only scores.
    expect(precision.labels).toBe(Math.ceil((1.96 ** 2 * variance) / 0.05 ** 2));
    expect(precision.expected).toBeCloseTo(1.96 * Math.sqrt(variance / 50), 4);
  });

  it("leaves out prompts that a model of the set is scored on", async () => {
    const [known] = outcomes.filter(({ model }) => model !== newcomer);
    const argv = next("--count", "5").with(1, known?.model ?? "");
    expect(await run(argv, folder)).toMatchObject({
      exitCode: 1,
      failure: expect.stringContaining("has a grade for every prompt of the pool"),
    });
  });

  it("counts prompts unlike every prompt of the set, and does not choose them", async () => {
    const noise = { id: "noise", prompt: "\u{13000}\u{13001}" };
    const [some] = await readPromptTable(PROMPTS);
    const other = await folderWith({ "pool.jsonl": lines([noise, { id: "some", prompt: some?.prompt }]) });
    const argv = [
      ...["label-next", newcomer, "--set", "set", "--prompts", join(other, "pool.jsonl")],
      ...["--out", "next.jsonl"],
    ];
    expect(await report(argv)).toMatchObject({ pool: 2, unlike: 1, chosen: ["some"] });
  });

  it("takes the folder that collect wrote", async () => {
    const pool = await folderWith({ "prompts.jsonl": await readFile(PROMPTS, "utf8"), "outcomes.jsonl": "" });
    const found = await report(next("--count", "12", "--prompts", pool));
    expect(found.chosen).toEqual((await report(next("--count", "12"))).chosen);
  });

  it.each([
    { argv: ["--count", "0"], failure: "--count is 0: it must be at least 1." },
    { argv: ["--count", "many"], failure: '--count is "many": it must be a whole number.' },
    { argv: ["--out", "next.csv"], failure: /--out is .*next\.csv; name a file that ends in \.jsonl/ },
  ])("explains $argv", async ({ argv, failure }) => {
    const found = await run(next(...argv), folder);
    expect(found.exitCode).toBeGreaterThan(0);
    expect(found.failure).toMatch(failure);
  });
});
