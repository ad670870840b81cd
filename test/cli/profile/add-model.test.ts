import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AddedModelReport } from "../../../src/cli/profile/add-model.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { ALL_OF_SAMPLE, jsonLines, type Row, sampleRows, sextant } from "./sample-commands.js";

/** Six models, of which two are placed by these scores alone. */
function sampleScores(): string {
  const models = [...new Set(sampleRows("outcomes").map(({ model }) => model)), "extra-1", "extra-2"];
  return jsonLines(
    models.flatMap((model, index) =>
      ["gpqa", "hle"].map((benchmark, hard) => ({
        model,
        benchmark,
        source: "https://example.org",
        score: 0.75 - 0.08 * index - 0.2 * hard,
      })),
    ),
  );
}

const built = folderForTests();
beforeAll(async () => {
  writeFileSync(join(built, "scores.jsonl"), sampleScores());
  const ran = await sextant(built, `profile build ${ALL_OF_SAMPLE} --scores scores.jsonl --out set`);
  expect(ran.exitCode).toBe(0);
});

let folder = "";
beforeEach(() => {
  folder = folderForTest();
  cpSync(join(built, "set"), join(folder, "set"), { recursive: true });
});

const write = (name: string, rows: readonly object[]) => writeFileSync(join(folder, name), jsonLines(rows));
const profile = (line: string) => sextant(folder, `profile ${line}`);
const add = (line: string) => profile(`add-model newcomer --set set ${line}`);
const report = async (line: string): Promise<AddedModelReport> =>
  JSON.parse((await add(`${line} --dry-run --json`)).stdout);
const modelsOf = async (set: string): Promise<string[]> =>
  JSON.parse((await profile(`inspect ${set} --json`)).stdout).models.map(
    ({ model }: { model: string }) => model,
  );

const GOOD = "--benchmark gpqa=.84 --benchmark hle=.5";
const ADDED = "set/models/newcomer.profile";

/** Three of four answers are right. */
const graded = (prompts: readonly Row[]) =>
  prompts.map(({ id }, index) => ({ id, model: "newcomer", score: index % 4 === 0 ? 0 : 1 }));

describe("sextant profile add-model", () => {
  it("places a model by published scores and reports the evidence", async () => {
    const { stdout } = await add(`${GOOD} --source https://example.org`);
    expect(stdout).toMatch(
      /^Placed newcomer in .*: expected quality 0\.\d{3} ± .* \(\d(st|nd|rd|th) of 7 models\)/m,
    );
    expect(stdout).toContain("It rests on 2 published scores (gpqa, hle) and what is known of its family");
    expect(stdout).toContain(`sextant profile drop-model newcomer --set ${join(folder, "set")}`);
    expect(await modelsOf("set")).toContain("newcomer");
  });

  it("accepts scores from options, a JSON object and rows, with the same result", async () => {
    writeFileSync(join(folder, "scores.json"), '{"gpqa": 0.84, "hle": 0.5}');
    const score = { benchmark: "gpqa", score: 0.84, source: "a", date: "2026-08-01" };
    write("scores.jsonl", [
      { model: "newcomer", ...score },
      { model: "newcomer", benchmark: "hle", score: 0.5, source: "b" },
      { model: "another", benchmark: "hle", score: 0.1, source: "b" },
    ]);
    const rows = await report("--scores scores.jsonl");
    for (const same of [GOOD, "--scores scores.json"])
      expect((await report(same)).expected_quality).toBe(rows.expected_quality);
    expect(rows).toMatchObject({ path: null, basis: "placed", other_models: 6 });
    expect(rows.rests_on.scores[0]).toEqual(score);
    expect(existsSync(join(folder, ADDED))).toBe(false);
  });

  it("places a model by graded answers to prompts of the set, also where --prompts has these, and to others", async () => {
    const prompts = sampleRows("prompts").slice(0, 20);
    const [first, ...others] = prompts;
    // An id of the set with another text is a prompt of one's own.
    const renumbered: Row = { ...first, prompt: "A baker sells 12 loaves an hour. How many in 5 hours?" };
    const mixed = [renumbered, ...others, { id: "own", prompt: first?.prompt }];
    write("prompts.jsonl", prompts);
    write("graded.jsonl", graded(prompts));
    write("mixed.jsonl", mixed);
    write("mixed-graded.jsonl", graded(mixed));
    const alone = await report("--outcomes graded.jsonl");
    expect(alone).toMatchObject({ basis: "measured", rests_on: { answers: 20, own_answers: 0 } });
    expect(await report("--outcomes graded.jsonl --prompts prompts.jsonl")).toEqual(alone);
    expect((await add("--outcomes mixed-graded.jsonl --prompts mixed.jsonl --dry-run")).stdout).toContain(
      "It rests on 19 graded answers to prompts of the set and 2 graded answers to prompts of your own and ",
    );
  });

  it("writes a set without a model elsewhere with drop-model --out, and leaves the set as it is", async () => {
    const manifest = () => readFileSync(join(folder, "set/manifest.json"), "utf8");
    const before = manifest();
    const line = "drop-model extra-1 --set set --out smaller";
    expect((await profile(line)).stdout).toBe(
      `Wrote the set without extra-1 to ${join(folder, "smaller")}\n`,
    );
    expect(manifest()).toBe(before);
    expect(await modelsOf("smaller")).toEqual((await modelsOf("set")).filter((model) => model !== "extra-1"));
    expect((await profile(line)).stderr).toContain("holds a profile set already; name a new folder.");
    const unknown = await profile("drop-model extra-9 --set set --out other");
    expect(unknown.stderr).toContain('"extra-9" is not a model of set "set"');
    expect(readdirSync(folder).filter((name) => name.startsWith("other"))).toEqual([]);
  });

  it("replaces a model of the build only with --force, and leaves a readable set", async () => {
    const line = `add-model extra-1 --set set ${GOOD}`;
    expect(await profile(line)).toMatchObject({
      exitCode: 2,
      stderr: 'sextant: "extra-1" came with set "set" already; use --force to replace its profile\n',
    });
    expect((await profile(`${line} --force`)).exitCode).toBe(0);
    expect(await modelsOf("set")).toContain("extra-1");
  });

  it.each([
    ["", "say what to place the model by: --benchmark NAME=SCORE, --scores FILE"],
    ["--benchmark gpqa", '--benchmark is "gpqa"; write a name and a score such as gpqa=0.84'],
    ["--benchmark gpqa=84", "--benchmark gpqa is 84, not a number in [0, 1]; divide percentages"],
    ["--benchmark gpqa=84%", "--benchmark gpqa is 84%; write it as 0.84"],
    ["--benchmark gpqq=.84", '"gpqq" is no benchmark that set "set" knows; did you mean "gpqa"'],
    ["--benchmark zzzzzzzzz=.84", "leave it out, or name one such as gpqa, hle, chat"],
    ["--like extra-3", '--like is "extra-3", which is not a model of set "set"; did you mean "extra-1"'],
    [`${GOOD} --released soon`, '--released is "soon"; write a date such as 2026-01-31'],
    [`${GOOD} --price-output -1`, "--price-output is -1, not 0 or from 0.001 to 10000; write US dollars"],
    ["--like extra-1 --price-output 1e308", "--price-output is 1e+308, not 0 or from 0.001 to 10000"],
    [`${GOOD} --effort hard`, '--effort is "hard"; write one of none, minimal, low'],
    ["--prompts mine.jsonl", "--prompts needs --outcomes: the graded answers to these prompts"],
    ["--outcomes unknown.jsonl", '"nowhere" is no prompt of set "set" (sources set); write ids as'],
    ["--outcomes other.jsonl", 'no row is of "newcomer"; did you mean "newcomers"?'],
    ["--scores percent.json", "is 84, not a number in [0, 1]; divide percentages by 100: 0.84"],
  ])("refuses invalid arguments: %s", async (line, failure) => {
    write("unknown.jsonl", [{ id: "nowhere", model: "newcomer", score: 1 }]);
    write("other.jsonl", [{ id: "nowhere", model: "newcomers", score: 1 }]);
    write("percent.json", [{ gpqa: 84 }]);
    const { exitCode, stderr } = await add(line);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain(failure);
  });

  it("drops an added model whose profile cannot be used, and names it until then", async () => {
    await add(GOOD);
    writeFileSync(join(folder, ADDED), "damaged");
    expect((await profile("inspect set")).stderr).toContain("newcomer");
    const dropped = await profile("drop-model newcomer --set set");
    expect(dropped.stdout).toBe(`Dropped newcomer: removed ${join(folder, ADDED)}\n`);
    expect(await modelsOf("set")).not.toContain("newcomer");
  });

  it("asks to rebuild a set that was built without the data for placement", async () => {
    const path = join(folder, "set/manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    manifest.files = manifest.files.filter((file: { path: string }) => file.path !== "abilities.json");
    writeFileSync(path, JSON.stringify(manifest));
    expect((await add(GOOD)).stderr).toContain(
      "without which no model can be placed in the set. Build the set again.",
    );
  });
});
