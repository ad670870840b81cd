/** Decisions of the shipped embedder and profiles on prompts of clearly different kinds. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedRouter, openRouter } from "../../src/engine/embedded/index.js";

const PROMPTS: Readonly<Record<string, string>> = {
  proof: "Prove that there are infinitely many prime numbers congruent to 3 modulo 4.",
  bash: "Write a bash one-liner that deletes all .log files older than 7 days under /var/log",
  "small talk": "hey, how are you doing today?",
  medical:
    "A 45-year-old man has crushing chest pain radiating to the left arm. What is the most likely diagnosis?",
  sum: "Tom has 12 apples. He gives 5 to Anna and buys 8 more. How many apples does he have now?",
  German: "Erkläre mir bitte, wie die Gewaltenteilung in Deutschland funktioniert.",
  nothing: "",
  noise: "zxqv ⌘⌥ ¤¤¤ 0x00",
};

let router: EmbeddedRouter;
beforeAll(async () => {
  router = await openRouter();
});
afterAll(() => router.close());

const WEIGHTS = Array.from({ length: 11 }, (_, step) => step / 10);

describe.each(Object.keys(PROMPTS))("A decision on %s with the shipped profiles", (kind) => {
  const prompt = PROMPTS[kind] as string;

  it("explains every candidate with figures in range", async () => {
    const { candidates, reason } = await router.route(prompt);
    const profiles = router.profiles();
    // Every model, and every effort of it that no other one dominates, with a profile or without.
    const left = profiles.filter(({ dominated_by: by }) => by === null).map(({ model }) => model);
    const models = candidates.map(({ model }) => model);
    expect(models).toEqual(expect.arrayContaining([...left, "gpt-6-sol:low"]));
    const dominated = profiles.filter(({ dominated_by: by }) => by !== null);
    for (const { model } of dominated) expect(models).not.toContain(model);
    expect(reason).not.toBe("");
    for (const { expectedQuality, qualityStderr } of candidates)
      expect(expectedQuality >= 0 && expectedQuality <= 1 && qualityStderr > 0).toBe(true);
  });

  it("moves from the best to the cheapest model in several steps as the cost weight grows", async () => {
    const chosen = await Promise.all(WEIGHTS.map((costWeight) => router.route(prompt, { costWeight })));
    const costs = chosen.slice(1).map(({ expectedCostUsd }) => expectedCostUsd as number);
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    expect(new Set(chosen.map(({ selectedModel }) => selectedModel)).size).toBeGreaterThanOrEqual(3);
    expect(costs.at(-1)).toBeLessThan((costs[0] as number) / 20);
  });
});

describe("The shipped profiles", () => {
  it("expect higher quality on a grade-school sum than on a proof from the same model", async () => {
    const quality = async (prompt: string) =>
      (await router.route(prompt)).candidates.find(({ model }) => model === "gpt-4o-mini")
        ?.expectedQuality as number;
    const [sum, proof] = [await quality(PROMPTS.sum as string), await quality(PROMPTS.proof as string)];
    expect(sum).toBeGreaterThan(proof + 0.1);
  });

  it("do not let thirty-five trick questions make a model the best at medicine", async () => {
    const { candidates } = await router.route(PROMPTS.medical as string);
    const trickOnly = router
      .profiles()
      .filter(({ samples, predecessor }) => samples <= 35 && predecessor === null)
      .map(({ model }) => model);
    expect(trickOnly.length).toBeGreaterThan(30);
    expect(trickOnly).not.toContain(candidates[0]?.model);
  });
});
