import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import type { Candidate, PreviousAnswer, RouteRequest } from "../../../src/engine/router/decision.js";
import { meanCostsOn, sampledAnchors } from "../../../src/engine/router/mean-costs.js";
import { estimatePromptTokens } from "../../../src/engine/router/prompt-size.js";
import { createRouter, type Router } from "../../../src/engine/router/router.js";
import { routingBody } from "../../../src/engine/router/routing-body.js";
import type { ConversationMessage } from "../../../src/engine/router/routing-text.js";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { SextantError } from "../../../src/foundation/errors.js";
import { sampleWithoutReplacement, seededRandom } from "../../../src/foundation/random.js";
import { routingSchema } from "../../../src/gateway/api/routing.js";
import { rejectionOf } from "../../support/errors.js";
import {
  factsAt,
  loadPlanted,
  type PlantedWorld,
  plantedEmbedder,
  plantWorld,
} from "../profiles/planted-set.js";

/** What the catalog of these tests knows. `private` is a model it has never heard of. */
const FACTS: Readonly<Record<string, ModelFacts>> = {
  large: { ...factsAt(10, 30), contextTokens: 100_000 },
  middle: { ...factsAt(1, 3), contextTokens: 8_000, capabilities: { images: true, tools: false } },
  small: {
    ...factsAt(0.1, 0.3),
    provider: "other",
    contextTokens: 2_000,
    capabilities: { images: false, tools: true },
  },
  "bot-of-bot": { ...factsAt(), provider: "lab", profile: "our-bot" },
  "our-bot": { ...factsAt(0.5, 1), provider: "lab", profile: "middle" },
};

const MODELS = ["large", "middle", "small", "private"];
const lookup = (model: string): ModelFacts => FACTS[model] ?? { ...factsAt(), provider: null };

let world: PlantedWorld;
let set: AnchorSet;
let router: Router;

const routerWith = (changes: Partial<Parameters<typeof createRouter>[0]> = {}): Router =>
  createRouter({ embedder: plantedEmbedder(world), sets: [set], lookup, clock: () => 0, ...changes });

beforeAll(async () => {
  const skill = (by: number) => [0.9, 0.8, 0.7, 0.6, 0.5, 0.4].map((chance) => Math.min(0.97, chance + by));
  const models = MODELS.map((model, index) => ({ model, skill: skill(0.07 - 0.1 * index), tokensOut: 300 }));
  world = plantWorld(models, { prompts: 480, seed: 5 });
  const planted = await loadPlanted(world);
  const snapshot = createSnapshot([planted], lookup);
  set = { ...planted, meanCosts: meanCostsOn(snapshot, sampledAnchors(snapshot, planted)) };
  router = routerWith();
});

const named = (candidates: readonly Candidate[], name: string): Candidate | undefined =>
  candidates.find(({ model }) => model === name);

const ask = (
  content: ConversationMessage["content"],
  more: Omit<RouteRequest, "messages"> = {},
): RouteRequest => ({
  messages: [{ role: "user", content }],
  ...more,
});

const errorOf = (work: Promise<unknown>) => rejectionOf(work, SextantError);

describe("An explained decision", () => {
  it("embeds its text once, and has the form of the API", async () => {
    const texts: string[] = [];
    const embedder = plantedEmbedder(world);
    const embed = (asked: readonly string[]) => {
      texts.push(...asked);
      return embedder.embed(asked);
    };
    const counting = routerWith({ embedder: { ...embedder, embed } });
    const { decision, choices } = await counting.explain(ask("topic 2", { costWeight: 0.3 }));
    expect(choices.length).toBeGreaterThan(0);
    expect(texts).toEqual(["topic 2"]);
    const routing = routingSchema.parse(routingBody(decision));
    expect(routing.prompt).toMatchObject({ tokens: 6, difficulty: null, kinds: [] });
    expect(routing.cost_weight_meaning?.mean_cost_usd).toBeGreaterThan(0);
    const large = routing.candidates.find(({ model }) => model === "large");
    expect(large?.parts?.output_usd_per_mtok).toBe(30);
  });

  it("knows of no dollars for a point where any is worth it", async () => {
    const decision = await router.route(ask("topic 2", { explain: true }));
    const { cost_weight_meaning: meaning } = routingSchema.parse(routingBody(decision));
    expect(meaning?.usd_per_point).toBeNull();
    expect(meaning?.mean_cost_usd).toBeGreaterThan(0);
  });
});

const previous: PreviousAnswer = {
  model: "small",
  provider: null,
  promptTokens: 0,
  billedTokens: 100,
  reportedTokens: 0,
  ageMs: 1_000,
  inToolLoop: false,
};

describe("The router in a conversation", () => {
  it("says what became of the model that answered before", async () => {
    const alone = await router.route(ask("topic 2"));
    const routing = routingBody(await router.route(ask("topic 2", { previous })));
    const { saved_usd: savedUsd, ...sticky } = routingSchema.parse(routing).sticky ?? {};
    expect(sticky).toEqual({ kept: false, previous_model: "small", reason: "worth_switching" });
    const costOf = (model: string) => named(alone.candidates, model)?.expectedCostUsd ?? 0;
    expect(savedUsd).toBeCloseTo(costOf("small") - costOf(alone.selectedModel), 9);
    expect(routing.selected_model).toBe(alone.selectedModel);
  });
});

describe("The router", () => {
  it("chooses among all profiled models when none are named", async () => {
    const { candidates, selectedModel, selectedProvider } = await router.route(ask("topic 2"));
    expect(candidates.map(({ model }) => model).sort()).toEqual([...MODELS].sort());
    expect([selectedModel, selectedProvider]).toEqual(["large", "acme"]);
  });

  it("expects the same of a model whoever else is named", async () => {
    const random = seededRandom(7);
    for (const text of ["topic 2", "topic 5, prompt 3", "far 1"]) {
      const { candidates: all } = await router.route(ask(text, { models: [...MODELS, "our-bot"] }));
      for (let draw = 0; draw < 8; draw++) {
        const count = 2 + Math.floor(3 * random());
        const drawn = sampleWithoutReplacement(all.length, { count, random });
        const models = Array.from(drawn, (at) => (all[at] as Candidate).model);
        for (const { model, expectedQuality } of (await router.route(ask(text, { models }))).candidates)
          expect(expectedQuality).toBe(named(all, model)?.expectedQuality);
      }
    }
  });

  it("corrects the expected length of answers, and so their cost, for each model", async () => {
    const ratios = new Map([
      ["large", 5],
      ["our-bot", 0.5],
    ]);
    const lengthRatioOf = (model: string) => ratios.get(model) ?? 1;
    const corrected = routerWith({ lengthRatioOf });
    const request = ask("topic 1", { models: ["large", "middle", "our-bot"] });
    const of = async (entry: Router, model: string) => named((await entry.route(request)).candidates, model);
    const promptTokens = estimatePromptTokens(request.messages);
    for (const [model, ratio] of [
      ["large", 5],
      ["middle", 1],
      ["our-bot", 0.5],
    ] as const) {
      const [before, after] = [await of(router, model), await of(corrected, model)];
      const profiled = before?.answerTokens.profiled as number;
      expect(after?.expectedQuality).toBe(before?.expectedQuality);
      expect(after?.answerTokens.profiled).toBe(profiled);
      expect(after?.answerTokens.expected).toBeCloseTo(ratio * profiled, 6);
      const { inputUsdPerMtok = 0, outputUsdPerMtok = 0 } = lookup(model).price ?? {};
      const listed = (inputUsdPerMtok * promptTokens + outputUsdPerMtok * ratio * profiled) / 1e6;
      expect((after?.expectedCostUsd as number) / listed).toBeCloseTo(1, 3);
    }
    // A ratio that changes holds from the next decision on; what a cost weight means does not move with it.
    ratios.set("large", 1);
    expect(await of(corrected, "large")).toEqual(await of(router, "large"));
    expect(corrected.meaningOf(0.5)).toEqual(router.meaningOf(0.5));
  });

  it("decides at the weight that a highest mean cost comes to", async () => {
    const [best, cheapest] = [0, 1].map((weight) => router.meaningOf(weight)?.meanCostUsd) as [
      number,
      number,
    ];
    const middle = Math.sqrt(best * cheapest);
    const floored = await router.route(ask("topic 2", { maxMeanCostUsd: 2 * best, costWeight: 0.4 }));
    expect(floored.costWeight).toBe(0.4);
    const { costWeight, ...decision } = await router.route(ask("topic 2", { maxMeanCostUsd: middle }));
    expect(router.meaningOf(costWeight as number)?.meanCostUsd).toBeCloseTo(middle, 9);
    expect(decision.selectedModel).toBe((await router.route(ask("topic 2", { costWeight }))).selectedModel);
    for (const [maxMeanCostUsd, expected] of [
      [2 * best, 0],
      [cheapest / 2, 1],
    ] as const)
      expect((await router.route(ask("topic 2", { maxMeanCostUsd }))).costWeight).toBe(expected);
  });

  it("refuses a highest mean cost where no set knows what requests cost", async () => {
    const unmeasured = routerWith({ sets: [{ ...set, meanCosts: null }] });
    expect(await errorOf(unmeasured.route(ask("topic 2", { maxMeanCostUsd: 1 })))).toMatchObject({
      code: "invalid_request",
      param: "max_mean_cost_usd",
    });
  });

  it("explores requests that are decided on their own, and none that continues a conversation", async () => {
    const models = ["large", "middle", "small"];
    const exploration = { share: 0.5, maxCostRatio: 1000, draw: 0.1 };
    const fresh = await router.route(ask("topic 5", { models, exploration }));
    expect(fresh.exploration).not.toBeNull();
    const plain = await router.route(ask("topic 5", { models, previous }));
    expect(plain.exploration).toBeNull();
    expect(await router.route(ask("topic 5", { models, previous, exploration }))).toEqual(plain);
  });

  it("estimates a deployment by its profile, also that of another deployment, and its own price", async () => {
    const models = ["middle", "our-bot", "bot-of-bot"];
    const { candidates } = await router.route(ask("topic 1", { models }));
    const [middle, bot, botOfBot] = models.map((name) => named(candidates, name));
    expect(bot?.expectedQuality).toBe(middle?.expectedQuality);
    expect(botOfBot?.expectedQuality).toBe(middle?.expectedQuality);
    expect(bot?.expectedCostUsd).toBeLessThan(middle?.expectedCostUsd as number);
    expect(bot?.provider).toBe("lab");
  });

  it("expects a cost of prompt × input price + answer × output price, with the answer limited, corrected or not", async () => {
    const models = ["large", "middle"];
    const large = async (more: Omit<RouteRequest, "messages">, by = router) =>
      named((await by.route(ask("topic 1", { models, ...more }))).candidates, "large");
    // 7 bytes and one message are 6 tokens; every planted answer has 300.
    expect((await large({}))?.expectedCostUsd).toBeCloseTo((6 * 10 + 300 * 30) / 1e6, 4);
    const short = await large({ maxTokens: 10 });
    expect((short?.expectedCostUsd as number) / ((6 * 10 + 10 * 30) / 1e6)).toBeCloseTo(1, 3);
    const corrected = await large({ maxTokens: 400 }, routerWith({ lengthRatioOf: () => 5 }));
    expect(corrected?.answerTokens.expected).toBeCloseTo(400, 9);
    expect(corrected?.answerTokens.profiled).toBeLessThan(400);
  });

  it("expects the price of the band of its prompt", async () => {
    const tiers = [{ abovePromptTokens: 3000, rates: { inputUsdPerMtok: 50, outputUsdPerMtok: 150 } }];
    const at = async (price: Partial<ModelFacts["price"]>, promptTokens: number) => {
      const facts = { ...lookup("large"), price: { inputUsdPerMtok: 10, outputUsdPerMtok: 30, ...price } };
      const banded = routerWith({ lookup: (model) => (model === "large" ? facts : lookup(model)) });
      const { candidates } = await banded.route(
        ask("topic 1", { models: ["large", "middle"], promptTokens }),
      );
      return named(candidates, "large")?.expectedCostUsd;
    };
    expect(await at({ tiers }, 3000)).toBe(await at({}, 3000));
    expect(await at({ tiers }, 3001)).toBe(await at({ inputUsdPerMtok: 50, outputUsdPerMtok: 150 }, 3001));
  });

  it("uses a given estimate of the prompt's tokens, for cost and context", async () => {
    const models = ["large", "middle"];
    const { candidates } = await router.route(ask("topic 1", { models, maxTokens: 10, promptTokens: 5_000 }));
    const large = named(candidates, "large");
    expect((large?.expectedCostUsd as number) / ((5_000 * 10 + 10 * 30) / 1e6)).toBeCloseTo(1, 3);
    const { excluded } = await router.route(ask("topic 1", { promptTokens: 9_000 }));
    expect(excluded.map(({ model }) => model)).toEqual(["middle", "small"]);
  });

  it("uses the provider, the price and the context window of the only provider that may answer", async () => {
    const models = ["large", "middle", "small"];
    const factsOf = (model: string): ModelFacts => ({
      ...lookup(model),
      provider: "reseller",
      price: model === "small" ? null : { inputUsdPerMtok: 2, outputUsdPerMtok: 4 },
      contextTokens: model === "middle" ? 5 : null,
    });
    const { candidates, selectedProvider, expectedCostUsd, excluded } = await router.route(
      ask("topic 1", { models: [...models], maxTokens: 10, factsOf }),
    );
    expect(candidates.map(({ model, expectedCostUsd }) => [model, expectedCostUsd])).toEqual([
      ["large", expectedCostUsd],
      ["small", null],
    ]);
    expect(selectedProvider).toBe("reseller");
    expect((expectedCostUsd as number) / ((6 * 2 + 10 * 4) / 1e6)).toBeCloseTo(1, 3);
    expect(excluded).toEqual([{ model: "middle", reason: "context_window" }]);
  });

  it("excludes unavailable models from a choice among all, without listing them", async () => {
    const asked = ask("topic 1", { canRun: (model) => model !== "large" });
    const { candidates, excluded } = await router.route(asked);
    expect(candidates.map(({ model }) => model)).not.toContain("large");
    expect(excluded).toEqual([]);
  });

  it("excludes models that are too small for the prompt or known not to support its images or tools, with the reason", async () => {
    const long = await router.route(ask(`topic 1 ${"word ".repeat(8_000)}`));
    expect(long.excluded).toEqual([
      { model: "middle", reason: "context_window" },
      { model: "small", reason: "context_window" },
    ]);
    const picture = { type: "image_url", image_url: { url: "x" } } as const;
    const image = await router.route(ask([{ type: "text", text: "topic 1" }, picture]));
    expect(image.excluded).toContainEqual({ model: "small", reason: "images_unsupported" });
    const tools = await router.route(ask("topic 1", { needsTools: true }));
    expect(tools.excluded).toEqual([{ model: "middle", reason: "tools_unsupported" }]);
    const room = await router.route(ask("topic 1", { maxTokens: 1_999 }));
    expect(room.excluded).toEqual([{ model: "small", reason: "context_window" }]);
  });

  it("chooses what caps leave, be it one model, by the cost that nine in ten answers keep to", async () => {
    const any = { isAllowed: () => true, maxCostUsd: Number.POSITIVE_INFINITY, said: "`a` of the key" };
    const asked = (caps: object) => router.route(ask("hello", { models: MODELS, caps: { ...any, ...caps } }));
    const free = await asked({});
    const high = named(free.candidates, "middle")?.highCostUsd as number;
    const capped = await asked({ maxCostUsd: high });
    expect(capped.selectedModel).toBe("middle");
    expect(capped.excluded).toEqual([
      { model: "large", reason: "too_expensive" },
      { model: "private", reason: "unknown_price" },
    ]);
    const only = await asked({ isAllowed: (model: string) => model === "small" });
    expect([only.candidates.length, only.selectedModel, only.confidence]).toEqual([1, "small", 1]);
    expect(only.excluded[0]).toEqual({ model: "large", reason: "not_allowed" });
    await expect(asked({ maxCostUsd: 1e-9 })).rejects.toThrow(
      "Routing needs a candidate, but no candidate is left after leaving out 4 (too_expensive, unknown_price) by `a` of the key. Shorten the prompt",
    );
    const all = { ...any, isAllowed: (model: string) => model === "middle" };
    expect((await router.route(ask("hello", { caps: all }))).excluded).toEqual([]);
    const none = { ...any, isAllowed: () => false };
    await expect(router.route(ask("hello", { caps: none }))).rejects.toMatchObject({
      code: "insufficient_models",
      message: expect.stringContaining("(not_allowed) by `a` of the key"),
    });
  });

  it("includes a model that the catalog does not know at weight 0, and excludes it above", async () => {
    const models = ["private", "small", "middle"];
    const free = await router.route(ask("topic 1", { models }));
    expect(named(free.candidates, "private")?.expectedCostUsd).toBeNull();
    const weighed = await router.route(ask("topic 1", { models, costWeight: 0.2 }));
    expect(weighed.excluded).toEqual([{ model: "private", reason: "unknown_price" }]);
    expect(weighed.candidates.map(({ model }) => model)).not.toContain("private");
  });

  it("decides requests of a batch as on their own, prepared ones at each cost weight", async () => {
    const models = [...MODELS, "private"];
    const requests = [0, 1, 2, 3, 4, 5].map((topic) => ask(`topic ${topic}`, { models }));
    const alone = await Promise.all(requests.map((one) => router.route(one)));
    expect(await router.routeMany(requests)).toEqual(alone);
    for (const [index, prepared] of (await router.prepareMany(requests)).entries()) {
      for (const costWeight of [0.4, 0, 1, 0.1, 0, 0.4]) {
        const alone = await router.route({ ...(requests[index] as RouteRequest), costWeight });
        expect(prepared.decideAt(costWeight)).toEqual(alone);
      }
    }
  });
});

it("The evidence of a candidate is both graded answers and published scores when the sets differ", async () => {
  const published = [{ benchmark: "gpqa_diamond", source: "its maker", date: "2026-10" }];
  const summaries = set.summaries.map((entry) =>
    entry.model === "large" ? { ...entry, basis: "placed" as const, samples: 0, published } : entry,
  );
  const joined = routerWith({ sets: [set, { ...set, name: "other", summaries }] });
  const { candidates } = await joined.route(ask("topic 1", { models: ["large", "our-bot"] }));
  const bases = ["large", "our-bot"].map((name) => named(candidates, name)?.basis);
  expect(bases).toEqual(["both", "measured"]);
  const profileOf = (name: string) => joined.profiles().find(({ model }) => model === name);
  expect(profileOf("large")).toMatchObject({ basis: "both", samples: 480, published });
  expect(profileOf("middle")).toMatchObject({ basis: "measured", published: [] });
});

describe("The router, when its profile sets are replaced,", () => {
  it("decides with the new sets, while pending requests finish with the old ones", async () => {
    const changing = routerWith();
    const underWay = changing.route(ask("topic 1"));
    await changing.replaceSets([{ ...set, name: "later" }]);
    const versions = [(await underWay).profileVersion, (await changing.route(ask("topic 1"))).profileVersion];
    expect(versions).toEqual([`${set.name}@${set.version}`, `later@${set.version}`]);
    expect(changing.profileVersion).toBe(versions[1]);
  });

  it("keeps the old sets when the new ones cannot be combined", async () => {
    const steady = routerWith();
    const broken = { ...set, prior: null } as unknown as AnchorSet;
    await expect(steady.replaceSets([broken])).rejects.toThrow();
    expect(steady.profileVersion).toBe(`${set.name}@${set.version}`);
  });
});

describe("Facts that change with the day", () => {
  /** A router over whose models `large` costs a hundredth from the second day on. */
  const following = () => {
    let day = 1;
    const cheap = { ...FACTS.large, ...factsAt(0.001, 0.003) } as ModelFacts;
    const tracked = routerWith({
      lookup: (model) => (model === "large" && day > 1 ? cheap : lookup(model)),
      availability: { unavailability: () => null, epoch: () => day },
    });
    return { tracked, nextDay: () => day++ };
  };
  const costOf = (decision: { readonly candidates: readonly Candidate[] }) =>
    named(decision.candidates, "large")?.expectedCostUsd ?? Number.NaN;
  const request = ask("topic 2", { costWeight: 0.6 });

  it("decide the first request after midnight already, and all that come with it", async () => {
    const { tracked, nextDay } = following();
    const before = await tracked.route(request);
    nextDay();
    const after = await Promise.all([tracked.route(request), tracked.route(request)]);
    const afresh = costOf(await tracked.route(request));
    expect(after.map(costOf)).toEqual([afresh, afresh]);
    expect(costOf(before) / afresh).toBeGreaterThan(1000);
    expect([before, ...after].map(({ selectedModel }) => selectedModel === "large")).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("do not bring sets back that were replaced meanwhile", async () => {
    const { tracked, nextDay } = following();
    nextDay();
    const first = tracked.route(request);
    await tracked.replaceSets([{ ...set, name: "later" }]);
    await first;
    expect(tracked.profileVersion).toBe(`later@${set.version}`);
  });
});

describe("The router refuses", () => {
  it("models without a profile, naming them and what there is", async () => {
    const error = await errorOf(router.route(ask("topic 1", { models: ["large", "gpt-9", "llama-99"] })));
    expect([error.code, error.param]).toEqual(["missing_profiles", "models[1]"]);
    expect(error.extra).toEqual({
      missing_profiles: ["gpt-9", "llama-99"],
      available_profiles: ["large", "middle", "private", "small"],
    });
    expect(error.message).toContain('"gpt-9", "llama-99"');
  });

  it("many models without a profile, with the first ten names in the message, truncated", async () => {
    const models = ["x".repeat(200), ...Array.from({ length: 100 }, (_, index) => `gpt-${index}`)];
    const error = await errorOf(router.route(ask("topic 1", { models })));
    expect(error.extra.missing_profiles).toEqual(models);
    expect(error.message).toContain(`names "${"x".repeat(80)}", "gpt-0"`);
    expect(error.message).toContain('"gpt-8" and 91 more, which');
    expect(error.message).not.toContain("gpt-9");
  });

  it("fewer than two models, also when one is named twice, and a choice that leaves fewer, with the reasons", async () => {
    const twice = await errorOf(router.route(ask("topic 1", { models: ["large", "large"] })));
    expect(twice.code).toBe("insufficient_models");
    const asked = ask("topic 1", { models: ["private", "large"], costWeight: 0.5 });
    const error = await errorOf(router.route(asked));
    expect(error.code).toBe("insufficient_models");
    expect(error.extra).toEqual({ excluded: [{ model: "private", reason: "unknown_price" }] });
  });

  it("a choice that leaves one available model, or none, saying which", async () => {
    const only = (runnable: string) =>
      ask("topic 1", { models: ["large", "small"], canRun: (model) => model === runnable });
    const one = await errorOf(router.route(only("small")));
    expect(one.code).toBe("insufficient_models");
    expect(one.extra).toEqual({ excluded: [{ model: "large", reason: "no_provider" }] });
    const none = await errorOf(router.route(only("nothing")));
    expect([none.code, none.status]).toEqual(["no_provider_available", 503]);
    expect(none.message).toContain("OPENAI_API_KEY");
  });

  it("too few candidates, with what to change for each reason that occurred and for no other", async () => {
    const message = async (changes: Partial<RouteRequest>) =>
      (await errorOf(router.route(ask("topic 1", changes)))).message;
    const models = ["large", "small", "private"];
    const howToRun = (names: readonly string[]) => `Set KEY for ${names.join(", ")}.`;
    expect(await message({ models, costWeight: 0.5, canRun: (model) => model !== "large", howToRun })).toBe(
      "Routing needs at least 2 candidates, but only small is left after leaving out 2 (no_provider, unknown_price). " +
        "Set KEY for large. Set `cost_weight` to 0, or give the prices of these models in the settings (`prices`).",
    );
    expect(await message({ models: ["large", "small"], canRun: (model) => model === "small" })).toMatch(
      /\(no_provider\)\. Name models that a configured provider serves\.$/,
    );
    expect(await message({ models: ["large", "small"], promptTokens: 10_000_000 })).toMatch(
      /\(context_window\)\. Shorten the prompt, lower `max_tokens`, or name models with a larger context window\.$/,
    );
  });

  it("a decision without any profile set", async () => {
    const empty = routerWith({ sets: [] });
    const error = await errorOf(empty.route(ask("anything")));
    expect([error.code, error.status]).toEqual(["no_profiles_available", 503]);
  });
});
