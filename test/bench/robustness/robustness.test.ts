import { describe, expect, it } from "vitest";
import { CORRUPTIONS } from "../../../bench/robustness/corruptions.js";
import { COST_WEIGHTS, measureRobustness, shareEqual } from "../../../bench/robustness/measure.js";
import type { RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";
import { seededRandom } from "../../../src/foundation/random.js";

const PROMPT = "Tell me what's wrong: I don't need more people, so explain how to fix the big list.";

const corrupted = (seed: number): string[] => {
  const random = seededRandom(seed);
  return Object.values(CORRUPTIONS).map((corrupt) => corrupt(PROMPT, { number: 5, random }));
};

describe("Corruptions", () => {
  it("are the same for the same seed, and mistype about a third of the words", () => {
    expect(corrupted(1)).toEqual(corrupted(1));
    expect(corrupted(1)).not.toEqual(corrupted(2));
    const words = PROMPT.match(/\p{L}{3,}/gu) ?? [];
    const kept = words.filter((word) => corrupted(1)[0]?.includes(word)).length / words.length;
    expect(kept).toBeGreaterThan(0.4);
    expect(kept).toBeLessThan(0.9);
  });

  it.each([
    [
      "formal",
      "Kindly attend to the matter below. Inform me what is incorrect: I do not require additional individuals, " +
        "therefore elucidate how to rectify the substantial enumerate.",
    ],
    [
      "wrapped",
      "Below is an instruction that describes a task. Complete it.\n\n### Instruction:\n" +
        `${PROMPT}\n\n### Response:`,
    ],
    [
      "courtesy",
      `Hello, I hope you are doing well. I have a question for you:\n\n${PROMPT} Thank you very much in advance!`,
    ],
  ])("keep what is asked: %s", (kind, expected) => {
    expect(CORRUPTIONS[kind]?.(PROMPT, { number: 5, random: () => 0 })).toBe(expected);
  });
});

it("Choices are compared prompt by prompt, at each cost weight, among the models that are named", async () => {
  const asked = new Set<readonly string[] | undefined>();
  const router = {
    routeMany: async (requests: readonly RouteRequest[]) =>
      requests.map(({ messages, models }) => {
        asked.add(models);
        const selectedModel = String(messages[0]?.content).includes("kindly") ? "large" : "small";
        return {
          selectedModel,
          candidates: [
            { model: "small", expectedCostUsd: 1 },
            { model: "large", expectedCostUsd: 3 },
          ],
        };
      }),
  } as unknown as Router;
  const models = ["small", "large"];
  const found = await measureRobustness(
    { router, canRun: () => true, models },
    { prompts: ["What is 2+2?", "Do it kindly."], seed: 0 },
  );
  expect(found.map(({ costWeight }) => costWeight)).toEqual(COST_WEIGHTS);
  expect(found[0]?.own).toEqual(["small", "large"]);
  expect(found[0]?.corrupted).toMatchObject({ formal: ["small", "large"], courtesy: ["small", "large"] });
  expect(found[0]?.spend).toMatchObject({ formal: 1, upper_case: 0.5 });
  expect(asked).toEqual(new Set([models]));
  expect(shareEqual(["a", "b", "a"], ["a", "a", "a"])).toBeCloseTo(2 / 3);
});
