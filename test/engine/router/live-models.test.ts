import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import type { ModelAvailability } from "../../../src/engine/router/candidate.js";
import type { RouteRequest } from "../../../src/engine/router/decision.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import { SextantError } from "../../../src/foundation/errors.js";
import { rejectionOf } from "../../support/errors.js";
import { factsAt, loadPlanted, plantedEmbedder, plantWorld } from "../profiles/planted-set.js";

const RETIRED = { model: "old", reason: "retired", retiredAt: "2025-07-28" } as const;

let today: string;
let looks: number;
let set: AnchorSet;
let embedder: Embedder;
let router: Router;

const availability: ModelAvailability = {
  epoch: () => (today >= "2026-12-01" ? 2 : 1),
  unavailability(model) {
    looks++;
    if (model === "old") return { reason: "retired", retiredAt: "2025-07-28" };
    if (model === "weights") return { reason: "not_served" };
    if (model === "leaving" && today >= "2026-12-01") return { reason: "retired", retiredAt: "2026-12-01" };
    return null;
  },
};

beforeAll(async () => {
  const models = ["old", "weights", "leaving", "here", "there"];
  const planted = models.map((model) => ({ model, skill: [0.9, 0.5], tokensOut: 100 }));
  const world = plantWorld(planted, { prompts: 120, seed: 3 });
  set = await loadPlanted(world);
  embedder = plantedEmbedder(world);
});

beforeEach(() => {
  today = "2026-11-22";
  looks = 0;
  router = createRouter({ embedder, sets: [set], lookup: () => factsAt(1, 2), availability, clock: () => 0 });
});

const ask = (changes: Partial<RouteRequest> = {}): RouteRequest => ({
  messages: [{ role: "user", content: "anything" }],
  ...changes,
});

const refusal = (request: RouteRequest) => rejectionOf(router.route(request), SextantError);

describe("A decision among all models", () => {
  it("considers the available ones, and does not list the others", async () => {
    const { candidates, excluded } = await router.route(ask());
    expect(candidates.map(({ model }) => model).sort()).toEqual(["here", "leaving", "there"]);
    expect(excluded).toEqual([]);
    expect(router.liveModels()).toEqual(["here", "leaving", "there"]);
    const counts = router.modelCounts((model) => model !== "there");
    expect(counts).toMatchObject({ live: 3, runnable: 2, candidates: 2 });
    expect(counts.profiled).toBeGreaterThan(3);
  });

  it("checks availability once a day, not once a request", async () => {
    await router.route(ask());
    const before = looks;
    await router.routeMany([ask(), ask(), ask()]);
    expect(looks).toBe(before);
  });

  it("leaves out what is paused, with the reason, whether the request names its models or not", async () => {
    const isPaused = (model: string) => model === "there";
    const { candidates, excluded } = await router.route(ask({ isPaused }));
    expect(candidates.map(({ model }) => model)).not.toContain("there");
    expect(excluded).toEqual([{ model: "there", reason: "paused" }]);
    await expect(router.route(ask({ models: ["here", "there"], isPaused }))).rejects.toThrow(
      "only here is left after leaving out 1 (paused). Name models that are not paused",
    );
  });

  it("excludes a model from the date of its retirement", async () => {
    today = "2026-12-01";
    const { candidates } = await router.route(ask());
    expect(candidates.map(({ model }) => model).sort()).toEqual(["here", "there"]);
    const { excluded } = await router.route(ask({ models: ["here", "there", "leaving"] }));
    expect(excluded).toEqual([{ model: "leaving", reason: "retired", retiredAt: "2026-12-01" }]);
  });
});

describe("A decision among named models", () => {
  it("excludes retired models and those that nobody serves, with the reason", async () => {
    const { candidates, excluded } = await router.route(ask({ models: ["old", "weights", "here", "there"] }));
    expect(candidates.map(({ model }) => model).sort()).toEqual(["here", "there"]);
    expect(excluded).toEqual([RETIRED, { model: "weights", reason: "not_served" }]);
  });

  it("is refused with the reasons when fewer than two are available", async () => {
    const error = await refusal(ask({ models: ["old", "here"] }));
    expect(error.code).toBe("insufficient_models");
    expect(error.message).toContain("retired");
    const excluded = [{ model: "old", reason: "retired", retired_at: "2025-07-28" }];
    expect(error.extra).toEqual({ excluded });
  });
});

it("When no model is available, the error lists what is configured and what would add more", async () => {
  const error = await refusal(
    ask({ canRun: () => false, whatCanRun: () => "Configured: lab. To add models, set X." }),
  );
  expect(error.code).toBe("no_provider_available");
  expect(error.message).toContain("Configured: lab. To add models, set X.");
});
