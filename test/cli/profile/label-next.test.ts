import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readPromptTable } from "../../../src/workbench/prompts/read-prompts.js";
import { folderForTests } from "../../support/folders.js";
import { jsonLines, type Row, SAMPLE, sampleRows, sextant } from "./sample-commands.js";

const folder = folderForTests();
const outcomes = sampleRows("outcomes");
const NEWCOMER = "sample-large";

beforeAll(async () => {
  const known = outcomes.filter(({ model }) => model !== NEWCOMER);
  writeFileSync(join(folder, "known.jsonl"), jsonLines(known));
  const build = `profile build --keep-names --prompts ${SAMPLE} --outcomes known.jsonl --out set`;
  expect((await sextant(folder, build)).exitCode).toBe(0);
});

const next = (model: string, line: string) =>
  sextant(folder, `profile label-next ${model} --set set --prompts ${SAMPLE}/prompts.jsonl ${line}`);

/** Of a choice of twenty that is written to a file. */
const chosen = async (file: string, line = "") =>
  JSON.parse((await next(NEWCOMER, `--count 20 --out ${file} --json ${line}`)).stdout);

it("`sextant profile label-next` writes prompts that collect reads, the same every time", async () => {
  const first = await chosen("first.jsonl");
  expect(await chosen("again.jsonl")).toEqual({ ...first, path: expect.anything() });
  const all = await readPromptTable(join(SAMPLE, "prompts.jsonl"));
  const written = await readPromptTable(join(folder, "first.jsonl"));
  expect(written.map(({ id }) => id)).toEqual(first.chosen);
  for (const prompt of written) expect(all).toContainEqual(prompt);
});

it("`sextant profile label-next` does not choose graded prompts again", async () => {
  const first = await chosen("some.jsonl");
  const isGraded = ({ id, model }: Row) => model === NEWCOMER && first.chosen.includes(id);
  writeFileSync(join(folder, "graded.jsonl"), jsonLines(outcomes.filter(isGraded)));
  const second = await chosen("others.jsonl", "--outcomes graded.jsonl");
  expect(second).toMatchObject({ graded: 20, pool: first.pool - 20 });
  expect(second.chosen.filter((id: string) => first.chosen.includes(id))).toEqual([]);
});

it.each([
  [NEWCOMER, "--count 0", "--count is 0: it must be at least 1."],
  [NEWCOMER, "--out next.csv", "next.csv; name a file that ends in .jsonl"],
  ["sample-small", "--out next.jsonl", "has a grade for every prompt of the pool"],
])("`sextant profile label-next` for %s explains what is wrong with %s", async (model, line, failure) => {
  const { exitCode, stderr } = await next(model, `--out next.jsonl ${line}`);
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain(failure);
});
