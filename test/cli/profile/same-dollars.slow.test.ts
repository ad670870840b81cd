/** Recorded dollars far from list prices, as agents have them: every command and the dial must mean the recorded ones. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { folderForTests } from "../../support/folders.js";
import { jsonLines, sampleRows, sextant } from "./sample-commands.js";

/** Models with a list price, in the place of the sample's. */
const NAMES: Readonly<Record<string, string>> = {
  "sample-large": "claude-opus-4-8",
  "sample-medium": "claude-sonnet-4-6",
  "sample-small": "gpt-5.4-mini",
  "sample-coder": "gpt-5.4",
};
const MODELS = Object.values(NAMES);
/** The list price of the sample's answers is a cent at most. */
const FACTOR = 50;
const HELD_OUT = "--set set --prompts held-prompts.jsonl --outcomes held-outcomes.jsonl";
const PROFILES = `--profiles set --models ${MODELS.join()}`;

/** Recorded dollars of the sample, or null, by the new name of the model. */
const OUTCOMES = sampleRows("outcomes").map(({ id, model, cost_usd: usd, ...row }) => ({
  ...row,
  id,
  model: NAMES[String(model)] ?? "",
  usd: FACTOR * Number(usd),
}));
const isHeld = new Set(sampleRows("prompts").flatMap(({ id }, index) => (index % 2 === 0 ? [id] : [])));

describe.each([
  ["recorded", MODELS],
  ["mixed", ["claude-opus-4-8", "claude-sonnet-4-6"]],
])("A set with %s dollars", (costs, paid) => {
  const folder = folderForTests();

  async function run(line: string) {
    const { exitCode, stdout, stderr } = await sextant(folder, line);
    expect([exitCode, exitCode === 0 ? "" : stderr]).toEqual([0, ""]);
    return stdout;
  }

  const evaluated = async (costWeight: number) =>
    JSON.parse(await run(`profile eval ${HELD_OUT} --cost-weight ${costWeight} --json`));

  beforeAll(async () => {
    const costOf = (model: string, usd: number) => (paid.includes(model) ? usd : null);
    const outcomes = OUTCOMES.map(({ usd, ...row }) => ({ ...row, cost_usd: costOf(row.model, usd) }));
    for (const [name, rows] of Object.entries({ prompts: sampleRows("prompts"), outcomes })) {
      const [held, train] = [true, false].map((part) => rows.filter(({ id }) => isHeld.has(id) === part));
      writeFileSync(join(folder, `held-${name}.jsonl`), jsonLines(held ?? []));
      writeFileSync(join(folder, `train-${name}.jsonl`), jsonLines(train ?? []));
    }
    await run("profile build --prompts train-prompts.jsonl --outcomes train-outcomes.jsonl --out set");
  });

  it("expects the same of each model by decisions and by `eval`, and not its list price where it was paid", async () => {
    const output = await run(`route --batch ${folder}/held-prompts.jsonl ${PROFILES}`);
    const decisions = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { candidates: { model: string; expected_cost_usd: number }[] });
    expect(decisions).toHaveLength(60);
    const body = await evaluated(0.5);
    expect(body.costs).toBe(costs);
    for (const { model, cost_usd: usd } of body.models) {
      const expected = decisions
        .flatMap(({ candidates }) => candidates)
        .reduce((sum, candidate) => sum + (candidate.model === model ? candidate.expected_cost_usd : 0), 0);
      // Sixty held-out prompts are noisy; list prices would be a fiftieth.
      expect(expected / decisions.length / usd, model).toBeGreaterThan(0.6);
      expect(expected / decisions.length / usd, model).toBeLessThan(1.6);
    }
    const explained = await run(`route 12*12 ${PROFILES} --explain --json`);
    for (const { model, parts } of JSON.parse(explained).routing.candidates)
      if (paid.includes(model)) {
        expect(parts.bill_source).toBe("dollars");
        expect(parts.bill_ratio).toBeGreaterThan(2);
      }
  });

  it.each([0, 0.2, 0.5, 0.9])("means the same by `eval` and by its dial at %d", async (costWeight) => {
    const { router, meaning } = await evaluated(costWeight);
    const ratio = meaning.mean_cost_usd / router.cost_usd.value;
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it("is tuned to a mean cost that a request can ask for", async () => {
    const limit = (await evaluated(0.3)).router.cost_usd.value;
    const tuned = JSON.parse(await run(`profile tune ${HELD_OUT} --max-mean-cost-usd ${limit} --json`));
    expect(tuned.cost_usd.value).toBeLessThanOrEqual(limit * 1.000001);
    const ratio = tuned.meaning.mean_cost_usd / limit;
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(1.6);
  });
});
