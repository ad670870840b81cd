/** Recorded dollars far from list prices, as agents have them: every command and the dial must mean the recorded ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTests } from "../../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
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

interface Outcome {
  readonly id: string;
  readonly model: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_usd: number | null;
}

let folder = "";
let held: readonly Outcome[] = [];

const rowsOf = <Row>(name: string): Row[] =>
  readFileSync(join(SAMPLE, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

async function run(...argv: string[]) {
  const cli = cliRun({ workingDirectory: folder });
  const exitCode = await runCli(argv, { ...cli.context, openRouter: openRouterFromSettings });
  expect([exitCode, exitCode === 0 ? "" : cli.stderr()]).toEqual([0, ""]);
  return cli.stdout();
}

const HELD_OUT = ["--set", "set", "--prompts", "held-prompts.jsonl", "--outcomes", "held-outcomes.jsonl"];

async function evaluated(costWeight: number) {
  const weight = ["--cost-weight", String(costWeight)];
  const rest = ["--json"];
  return JSON.parse(await run("profile", "eval", ...HELD_OUT, ...weight, ...rest));
}

/** @param costOf recorded dollars of an outcome of the sample */
async function buildFrom(costOf: (row: Outcome) => number | null): Promise<void> {
  folder = folderForTests();
  const prompts = rowsOf<{ readonly id: string }>("prompts");
  const outcomes = rowsOf<Outcome>("outcomes")
    .map((row) => ({ ...row, model: NAMES[row.model] ?? row.model }))
    .map((row) => ({ ...row, cost_usd: costOf(row) }));
  const heldIds = new Set(prompts.filter((_, index) => index % 2 === 0).map(({ id }) => id));
  const write = (name: string, rows: readonly object[]) =>
    writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  for (const [name, rows] of Object.entries({ prompts, outcomes })) {
    write(
      `train-${name}`,
      rows.filter(({ id }) => !heldIds.has(id)),
    );
    write(
      `held-${name}`,
      rows.filter(({ id }) => heldIds.has(id)),
    );
  }
  held = outcomes.filter(({ id }) => heldIds.has(id));
  const files = ["--prompts", "train-prompts.jsonl", "--outcomes", "train-outcomes.jsonl"];
  await run("profile", "build", ...files, "--out", "set");
}

async function decided(): Promise<{ candidates: { model: string; expected_cost_usd: number }[] }[]> {
  const models = ["--profiles", "set", "--models", MODELS.join()];
  const output = await run("route", "--batch", join(folder, "held-prompts.jsonl"), ...models);
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Expected dollars of all held-out answers of a model. */
const expectedUsd = (decisions: Awaited<ReturnType<typeof decided>>, model: string): number =>
  decisions
    .flatMap(({ candidates }) => candidates)
    .filter((candidate) => candidate.model === model)
    .reduce((sum, candidate) => sum + candidate.expected_cost_usd, 0);

describe("A set with recorded dollars", () => {
  beforeAll(() => buildFrom(({ cost_usd: usd }) => FACTOR * (usd as number)));

  it("expects of each model what its answers were paid for, not its list price", async () => {
    const decisions = await decided();
    expect(decisions).toHaveLength(60);
    for (const model of MODELS) {
      const paid = held
        .filter((outcome) => outcome.model === model)
        .reduce((sum, { cost_usd: usd }) => sum + (usd as number), 0);
      expect(expectedUsd(decisions, model) / paid, model).toBeGreaterThan(0.6);
      expect(expectedUsd(decisions, model) / paid, model).toBeLessThan(1.6);
    }
    const models = ["--profiles", "set", "--models", MODELS.join()];
    const { routing } = JSON.parse(
      await run("route", "What is 7 times 8?", ...models, "--explain", "--json"),
    );
    for (const { parts } of routing.candidates) {
      expect(parts.bill_source).toBe("dollars");
      expect(parts.bill_ratio).toBeGreaterThan(2);
    }
  });

  it.each([0, 0.2, 0.5, 0.9])("means the same by `eval` and by its dial at %d", async (costWeight) => {
    const { costs, router, meaning } = await evaluated(costWeight);
    expect(costs).toBe("recorded");
    // Sixty held-out prompts are noisy; list prices would be a fiftieth.
    const ratio = meaning.mean_cost_usd / router.cost_usd.value;
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it("is tuned to a mean cost that a request can ask for", async () => {
    const limit = (await evaluated(0.3)).router.cost_usd.value;
    const argv = ["profile", "tune", ...HELD_OUT, "--max-mean-cost-usd", String(limit), "--json"];
    const tuned = JSON.parse(await run(...argv));
    expect(tuned.cost_usd.value).toBeLessThanOrEqual(limit * 1.000001);
    const ratio = tuned.meaning.mean_cost_usd / limit;
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(1.6);
  });
});

describe("A set where dollars were recorded for some models, and tokens for others", () => {
  const PAID = ["claude-opus-4-8", "claude-sonnet-4-6"];
  beforeAll(() =>
    buildFrom(({ model, cost_usd: usd }) => (PAID.includes(model) ? FACTOR * (usd as number) : null)),
  );

  it("costs the same by `eval` and by decisions, model by model", async () => {
    const [decisions, { costs, models }] = [await decided(), await evaluated(0.5)];
    expect(costs).toBe("mixed");
    for (const { model, cost_usd: usd } of models) {
      const ratio = expectedUsd(decisions, model) / decisions.length / usd;
      expect(ratio, model).toBeGreaterThan(0.6);
      expect(ratio, model).toBeLessThan(1.6);
    }
  });

  it.each([0, 0.2, 0.5, 0.9])("means the same by `eval` and by its dial at %d", async (costWeight) => {
    const { router, meaning } = await evaluated(costWeight);
    const ratio = meaning.mean_cost_usd / router.cost_usd.value;
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});
