import { readdir, readFile, rm, writeFile } from "node:fs/promises";
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
  readonly topics: readonly { topic: string; chosen: number; error: number; error_with_labels: number }[];
  readonly gain: { now: number; with_labels: number; at_most: number };
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
  it("writes prompts that collect reads, and says what their labels are expected to add", async () => {
    const { stdout, exitCode, failure } = await run(next("--count", "12"), folder);
    expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: "" });
    expect(stdout).toMatch(
      new RegExp(`^Chose 12 of \\d+ prompts to label for ${newcomer}, which has 0 graded answers\\.$`, "m"),
    );
    expect(stdout).toContain("--prompts ");
    const chosen = await readPromptTable(join(folder, "next.jsonl"));
    const all = await readPromptTable(PROMPTS);
    expect(chosen).toHaveLength(12);
    for (const prompt of chosen) expect(all).toContainEqual(prompt);
    expect((await readdir(folder)).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  it("expects more of more labels, and never more than of known skills", async () => {
    const [few, many] = [await report(next("--count", "5")), await report(next("--count", "40"))];
    expect(few.gain.with_labels).toBeGreaterThan(few.gain.now);
    expect(many.gain.with_labels).toBeGreaterThan(few.gain.with_labels);
    expect(many.gain.at_most).toBeGreaterThan(many.gain.with_labels);
    for (const { error, error_with_labels } of many.topics) expect(error_with_labels).toBeLessThan(error);
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

  it("does not choose graded prompts again, and is surer after their answers", async () => {
    const first = await report(next("--count", "20"));
    const graded = outcomes.filter(({ id, model }) => model === newcomer && first.chosen.includes(id));
    const more = await folderWith({ "graded.jsonl": lines(graded) });
    const second = await report(next("--count", "20", "--outcomes", join(more, "graded.jsonl")));
    expect(second).toMatchObject({ graded: 20, pool: first.pool - 20 });
    expect(second.chosen.filter((id) => first.chosen.includes(id))).toEqual([]);
    const error = ({ topics }: Printed) =>
      topics.reduce((sum, topic) => sum + topic.error, 0) / topics.length;
    expect(error(second)).toBeLessThan(error(first));
  });

  it("leaves out prompts that a model of the set is scored on", async () => {
    const [known] = outcomes.filter(({ model }) => model !== newcomer);
    const argv = next("--count", "5").with(1, known?.model ?? "");
    expect(await run(argv, folder)).toMatchObject({
      exitCode: 1,
      failure: expect.stringContaining("has a grade for every prompt of the pool"),
    });
  });

  it("says what labels add to decisions at a cost weight, where a cheap model adds more and an expensive one less", async () => {
    const prices = (own: number) => ({
      prices: Object.fromEntries(
        [...new Set(outcomes.map(({ model }) => model))].map((model) => {
          const usd = model === newcomer ? own : 10;
          return [model, { input_usd_per_mtok: usd, output_usd_per_mtok: usd }];
        }),
      ),
    });
    const priced = async (own: number) => {
      await writeFile(join(folder, "sextant.config.json"), JSON.stringify(prices(own)));
      return report(next("--count", "12", "--cost-weight", ".3"));
    };
    const [free, cheap, expensive] = [
      await report(next("--count", "12")),
      await priced(0.1),
      await priced(1000),
    ];
    expect(cheap).toMatchObject({ cost_weight: 0.3, chosen: free.chosen });
    expect(cheap.gain.with_labels).toBeGreaterThan(free.gain.with_labels);
    expect(expensive.gain.with_labels).toBeLessThan(free.gain.with_labels);
    const { stdout } = await run(next("--count", "12", "--cost-weight", ".3"), folder);
    expect(stdout).toContain(`that ${newcomer} adds to decisions at cost weight 0.3: `);
    await rm(join(folder, "sextant.config.json"));
    const unknown = await run(next("--count", "12", "--cost-weight", ".3"), folder);
    expect(unknown.failure).toContain(`the cost of ${newcomer} is not known; give its price in the setting`);
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

  /** A set of prompts without categories. */
  async function unnamedSet(answers: readonly Outcome[]): Promise<string> {
    const prompts = (await readPromptTable(PROMPTS)).map(({ id, prompt }) => ({ id, prompt }));
    const other = await folderWith({
      "known.jsonl": lines(prompts.slice(0, 80)),
      "pool.jsonl": lines(prompts.slice(80)),
      "outcomes.jsonl": lines(answers),
    });
    const files = ["--prompts", "known.jsonl", "--outcomes", "outcomes.jsonl", "--keep-names"];
    expect(await run(["build", ...files, "--out", "set"], other)).toMatchObject({ exitCode: 0 });
    return other;
  }
  const fromPool = (model: string) => [
    ...[
      "label-next",
      model,
      "--set",
      "set",
      "--prompts",
      "pool.jsonl",
      "--out",
      "next.jsonl",
      "--count",
      "10",
    ],
  ];

  it("says that gains are a lower bound where nothing shows how models differ between kinds of prompts", async () => {
    const [some] = outcomes.filter(({ model }) => model !== newcomer);
    const other = await unnamedSet(outcomes.filter(({ model }) => model === some?.model));
    const { stdout } = await run(fromPool(newcomer), other);
    expect(stdout).toMatch(
      /^These gains are a lower bound: .* Build the set from prompts with a column `category`\.$/m,
    );
    const printed = JSON.parse((await run([...fromPool(newcomer), "--json"], other)).stdout);
    expect(printed).toMatchObject({ lower_bound: true, topics: [{ clustered: true }, { clustered: true }] });
    expect(await report(next())).toMatchObject({ lower_bound: false });
  });

  it("says why the gains are equal where the model's answers decide already", async () => {
    const graded = [...new Set(outcomes.map(({ id }) => id))].flatMap((id) => [
      { id, model: "always-right", score: 1 },
      { id, model: "always-wrong", score: 0 },
    ]);
    const { stdout } = await run(fromPool("always-right"), await unnamedSet(graded));
    expect(stdout).toContain("The figures are equal: what is known of always-right decides already");
    expect((await run(next(), folder)).stdout).not.toContain("The figures are equal");
  });

  it("takes the folder that collect wrote", async () => {
    const pool = await folderWith({ "prompts.jsonl": await readFile(PROMPTS, "utf8"), "outcomes.jsonl": "" });
    const found = await report(next("--count", "12", "--prompts", pool));
    expect(found.chosen).toEqual((await report(next("--count", "12"))).chosen);
  });

  it.each([
    { argv: ["--count", "0"], failure: "the number of labels is 0, not a whole number of at least 1" },
    { argv: ["--count", "many"], failure: '--count is "many", not a number of at least 0' },
    { argv: ["--out", "next.csv"], failure: /--out is .*next\.csv; name a file that ends in \.jsonl/ },
    { argv: ["--like", "nobody"], failure: /--like is "nobody", which is no model of set "set"/ },
  ])("explains $argv", async ({ argv, failure }) => {
    const found = await run(next(...argv), folder);
    expect(found.exitCode).toBeGreaterThan(0);
    expect(found.failure).toMatch(failure);
  });
});
