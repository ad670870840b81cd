/** What `sextant/workbench` says of wrong options, before it reads or asks anything. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import {
  buildSet,
  collect,
  compareSets,
  diffSets,
  evaluateSet,
  exactGrader,
  fromTraces,
  labelNext,
  replay,
  reportSet,
  tuneCostWeight,
  WorkbenchError,
} from "../../src/workbench.js";
import { folderForTests } from "../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
const heldOut = { prompts: ["held-out"], outcomes: ["held-out"] };
const tuned = { set: "profiles/ours", ...heldOut };
const labelled = { set: "profiles/ours", model: "m", pool: [{ id: "a", prompt: "?" }], count: 1 };
const collected = {
  prompts: [{ id: "a", prompt: "?" }],
  models: ["m"],
  folder: "f",
  grader: exactGrader(),
};
/** As a caller without types passes them. */
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;
const faultOf = (called: unknown, ...given: readonly unknown[]): Promise<unknown> =>
  (called as Untyped)(...given).then(
    () => undefined,
    (error: unknown) => error,
  );

const SHARE = "it must be a share of quality from 0 to 1: 2 points are 0.02.";
const GOAL = 'it must be `{ maxLoss }`, `{ maxCostUsd }` or "knee".';
const LIST = "it must be a list of files or folders, such as `held-out`.";
const FOLDER = "it must be the path of a folder.";
const WEIGHT = "it must be a number from 0 to 1.";

const tune = (goal: unknown) => [tuneCostWeight, { ...tuned, goal }] as const;
const evaluate = (options: object) => [evaluateSet, { ...heldOut, ...options }] as const;
const label = (options: object) => [labelNext, { ...labelled, ...options }] as const;
const gather = (options: object) => [collect, { ...collected, ...options }] as const;

/** A call, and what is said of it. */
const WRONG: readonly (readonly [call: readonly [called: unknown, ...given: unknown[]], message: string])[] =
  [
    [tune({ maxLoss: 2 }), `\`options.goal.maxLoss\` is 2: ${SHARE}`],
    [tune({ maxLos: 0.02 }), "`options.goal.maxLos` is not known here. Did you mean `maxLoss`?"],
    [tune({}), `\`options.goal\` is an object: ${GOAL}`],
    [tune("knees"), `\`options.goal\` is "knees": ${GOAL}`],
    [[evaluateSet, { outcomes: ["a"] }], `\`options.prompts\` is missing: ${LIST}`],
    [evaluate({ outcomes: "a" }), `\`options.outcomes\` is "a": ${LIST}`],
    [evaluate({ costWeight: 30 }), `\`options.costWeight\` is 30: ${WEIGHT}`],
    [[evaluateSet, undefined], "`options` is missing: it must be an object of options."],
    [[buildSet, heldOut], `\`options.folder\` is missing: ${FOLDER}`],
    [label({ count: 0 }), "`options.count` is 0: it must be at least 1."],
    [
      label({ pool: "a.jsonl" }),
      '`options.pool` is "a.jsonl": it must be a list of prompts, such as `readPrompts` reads.',
    ],
    [
      [reportSet, { set: "s", heldOut: { prompts: ["a"] } }],
      `\`options.heldOut.outcomes\` is missing: ${LIST}`,
    ],
    [
      gather({ grader: undefined }),
      "`options.grader` is missing: it must be a grader, such as `exactGrader()`.",
    ],
    [gather({ prompts: [] }), "`options.prompts` is an empty list: it must hold at least one prompt."],
    [gather({ models: [] }), "`options.models` is an empty list: it must name at least one of model ids."],
    [gather({ temperature: 3 }), "`options.temperature` is 3: it must be a number from 0 to 2."],
    [gather({ maxTokens: 1.5 }), "`options.maxTokens` is 1.5: it must be a whole number."],
    [gather({ concurrency: 0 }), "`options.concurrency` is 0: it must be a whole number from 1 to 1000."],
    [
      [fromTraces, [], { outcomes: "o", update: { set: "s" } }],
      `\`options.update.folder\` is missing: ${FOLDER}`,
    ],
    [[replay, [], { costWeights: [0, 3] }], `\`options.costWeights[1]\` is 3: ${WEIGHT}`],
    [[diffSets, "a"], `\`second\` is missing: ${FOLDER}`],
  ];

describe("A function of the workbench", () => {
  it.each(WRONG)("names the field, the value and the remedy: %#", async ([called, ...given], message) => {
    const fault = await faultOf(called, ...given);
    expect(fault).toBeInstanceOf(WorkbenchError);
    expect(fault).toMatchObject({ message });
  });

  it("that is no promise throws", () => {
    expect(() => (compareSets as unknown as Untyped)({ decisions: [] }, "b")).toThrow(
      '`second` is "b": it must be an evaluation, as `evaluateSet` makes it.',
    );
  });
});

describe("replay", () => {
  let set = "";
  beforeAll(async () => {
    set = join(folderForTests(), "set");
    await buildSet({ prompts: [SAMPLE], outcomes: [SAMPLE], folder: set, keepNames: true });
  });
  const request = { messages: [{ role: "user", content: "What is 17 + 25?" }], model: "sample-large" };

  it("needs the candidates of each request, and nothing else that may be unknown", async () => {
    const options = { set, costWeights: [0] };
    const missing =
      "`request.candidates` is missing: it must be a list of ids of the models that the request may go to.";
    expect(await faultOf(replay, [request], options)).toMatchObject({
      name: "WorkbenchError",
      message: missing,
    });
    const candidates = ["sample-large", "sample-small"];
    const requests = [{ ...request, candidates }] as unknown as Parameters<typeof replay>[0];
    const { reports } = await replay(requests, options);
    expect(reports[0]).toMatchObject({ requests: 1 });
  });
});
