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
const SHARE = "it must be a share of quality from 0 to 1: 2 points are 0.02.";

/** As a caller without types passes them. */
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;
const faultOf = (called: unknown, ...given: readonly unknown[]): Promise<unknown> =>
  (called as Untyped)(...given).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("A function of the workbench", () => {
  it.each([
    {
      called: tuneCostWeight,
      options: { ...tuned, goal: { maxLoss: 2 } },
      message: `\`options.goal.maxLoss\` is 2: ${SHARE}`,
    },
    {
      called: tuneCostWeight,
      options: { ...tuned, goal: { maxLoss: -1 } },
      message: `\`options.goal.maxLoss\` is -1: ${SHARE}`,
    },
    {
      called: tuneCostWeight,
      options: { ...tuned, goal: { maxLos: 0.02 } },
      message: "`options.goal.maxLos` is not known here. Did you mean `maxLoss`?",
    },
    {
      called: tuneCostWeight,
      options: { ...tuned, goal: {} },
      message: '`options.goal` is an object: it must be `{ maxLoss }`, `{ maxCostUsd }` or "knee".',
    },
    {
      called: tuneCostWeight,
      options: { ...tuned, goal: "knees" },
      message: '`options.goal` is "knees": it must be `{ maxLoss }`, `{ maxCostUsd }` or "knee".',
    },
    {
      called: tuneCostWeight,
      options: tuned,
      message: '`options.goal` is missing: it must be `{ maxLoss }`, `{ maxCostUsd }` or "knee".',
    },
    {
      called: evaluateSet,
      options: { outcomes: ["a"] },
      message: "`options.prompts` is missing: it must be a list of files or folders, such as `held-out`.",
    },
    {
      called: evaluateSet,
      options: { prompts: ["a"], outcomes: "a" },
      message: '`options.outcomes` is "a": it must be a list of files or folders, such as `held-out`.',
    },
    {
      called: evaluateSet,
      options: { ...heldOut, costWeight: 30 },
      message: "`options.costWeight` is 30: it must be a number from 0 to 1.",
    },
    {
      called: evaluateSet,
      options: { ...heldOut, costWeights: 0.3 },
      message: "`options.costWeights` is not known here. Did you mean `costWeight`?",
    },
    {
      called: evaluateSet,
      options: undefined,
      message: "`options` is missing: it must be an object of options.",
    },
    {
      called: buildSet,
      options: heldOut,
      message: "`options.folder` is missing: it must be the path of a folder.",
    },
    {
      called: buildSet,
      options: { ...heldOut, folder: "f", keepName: true },
      message: "`options.keepName` is not known here. Did you mean `keepNames`?",
    },
    {
      called: labelNext,
      options: { ...labelled, count: 0 },
      message: "`options.count` is 0: it must be at least 1.",
    },
    {
      called: labelNext,
      options: { ...labelled, pool: "a.jsonl" },
      message: '`options.pool` is "a.jsonl": it must be a list of prompts, such as `readPrompts` reads.',
    },
    { called: reportSet, options: {}, message: "`options.set` is missing: it must be the path of a folder." },
    {
      called: reportSet,
      options: { set: "s", heldOut: { prompts: ["a"] } },
      message:
        "`options.heldOut.outcomes` is missing: it must be a list of files or folders, such as `held-out`.",
    },
    {
      called: collect,
      options: { ...collected, grader: undefined },
      message: "`options.grader` is missing: it must be a grader, such as `exactGrader()`.",
    },
    {
      called: collect,
      options: { ...collected, maxUSD: 5 },
      message: "`options.maxUSD` is not known here. Did you mean `maxUsd`?",
    },
    {
      called: collect,
      options: { ...collected, prompts: [] },
      message: "`options.prompts` is an empty list: it must hold at least one prompt.",
    },
    {
      called: collect,
      options: { ...collected, models: [] },
      message: "`options.models` is an empty list: it must name at least one of model ids.",
    },
    {
      called: collect,
      options: { ...collected, temperature: 3 },
      message: "`options.temperature` is 3: it must be a number from 0 to 2.",
    },
    {
      called: collect,
      options: { ...collected, maxTokens: 1.5 },
      message: "`options.maxTokens` is 1.5: it must be a whole number.",
    },
    {
      called: collect,
      options: { ...collected, concurrency: 0 },
      message: "`options.concurrency` is 0: it must be a whole number from 1 to 1000.",
    },
  ])("names the field, the value and the remedy: $message", async ({ called, options, message }) => {
    const fault = await faultOf(called, options);
    expect(fault).toBeInstanceOf(WorkbenchError);
    expect(fault).toMatchObject({ message });
  });

  it("checks what does not come first, too", async () => {
    expect(await faultOf(fromTraces, [], { outcomes: "o", update: { set: "s" } })).toMatchObject({
      message: "`options.update.folder` is missing: it must be the path of a folder.",
    });
    expect(await faultOf(replay, [], { costWeights: [0, 3] })).toMatchObject({
      message: "`options.costWeights[1]` is 3: it must be a number from 0 to 1.",
    });
    expect(await faultOf(diffSets, "a")).toMatchObject({
      message: "`second` is missing: it must be the path of a folder.",
    });
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
