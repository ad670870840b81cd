import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelPrice, PromptCache } from "../../../src/engine/router/candidate.js";
import { continueConversation } from "../../../src/engine/router/continue-conversation.js";
import type { TradeOff } from "../../../src/engine/router/cost-weight.js";
import { decide } from "../../../src/engine/router/decide.js";
import type { PreviousAnswer } from "../../../src/engine/router/decision.js";
import { allocateEstimates } from "../../../src/engine/router/estimates.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

const AUTOMATIC: PromptCache = {
  mode: "automatic",
  minimumTokens: 1024,
  stepTokens: 128,
  lifetimeMs: 300_000,
};
const ON_REQUEST: PromptCache = { ...AUTOMATIC, mode: "on_request", minimumTokens: 0, stepTokens: 1 };

interface Model {
  readonly model: string;
  readonly quality: number;
  readonly price: ModelPrice | null;
  readonly answerUsd?: number;
  readonly provider?: string;
  readonly promptCache?: PromptCache;
}

/** $2 in, $0.20 from the cache; answers for 1 cent. */
const LARGE: Model = {
  model: "large",
  quality: 0.8,
  price: { inputUsdPerMtok: 2, outputUsdPerMtok: 10, cachedInputUsdPerMtok: 0.2 },
  answerUsd: 0.01,
};
/** Half the price of `large`. */
const SMALL: Model = {
  model: "small",
  quality: 0.8,
  price: { inputUsdPerMtok: 1, outputUsdPerMtok: 5, cachedInputUsdPerMtok: 0.1 },
  answerUsd: 0.005,
};

const PREVIOUS: PreviousAnswer = {
  model: "large",
  provider: "openai",
  promptTokens: 50_000,
  billedTokens: 50_048,
  reportedTokens: 0,
  ageMs: 20_000,
  inToolLoop: false,
};

/** A unit of quality is worth a dollar at equal weights. */
const TRADE_OFF: TradeOff = { costWeight: 0.5, unitUsd: 1 };

interface Asked {
  readonly models?: readonly Model[];
  readonly previous?: Partial<PreviousAnswer>;
  readonly promptTokens?: number;
  readonly tradeOff?: TradeOff;
}

function setUp({ models = [LARGE, SMALL], promptTokens = 51_000, tradeOff = TRADE_OFF }: Asked) {
  const candidates = models.map(({ model, price, provider = "openai", promptCache = AUTOMATIC }) => ({
    model,
    facts: { provider, price, promptCache },
  }));
  const estimates = allocateEstimates(
    models.map(({ model }) => ({ model, effort: null, provider: null, basis: "measured" as const })),
  );
  models.forEach(({ quality, price, answerUsd = 0 }, entry) => {
    estimates.quality[entry] = quality;
    estimates.stderr[entry] = 0.01;
    estimates.ownError[entry] = 0.01;
    estimates.costUsd[entry] =
      price === null ? Number.POSITIVE_INFINITY : (promptTokens * price.inputUsdPerMtok) / 1e6 + answerUsd;
  });
  return { candidates, estimates, promptTokens, options: { tradeOff, pairedCorrelation: 0.4 } };
}

function continued(asked: Asked = {}) {
  const { candidates, estimates, promptTokens, options } = setUp(asked);
  const previous = { ...PREVIOUS, ...asked.previous };
  const { verdict, ...kept } = continueConversation(
    estimates,
    { candidates, promptTokens, previous },
    options,
  );
  return { ...verdict, ...kept };
}

const selected = (asked: Asked = {}) => continued(asked).candidates[0];

describe("continueConversation", () => {
  it("counts what is in the prompt cache at its own price", () => {
    // 50,048 billed tokens are 391 blocks of 128: all but 1,000 of the 51,000 tokens are in the cache.
    const { candidates } = continued({ models: [LARGE, { ...SMALL, quality: 0.1 }] });
    expect(candidates[0]?.model).toBe("large");
    expect(candidates[0]?.expectedCostUsd).toBeCloseTo((50_000 * 0.2 + 1_000 * 2) / 1e6 + 0.01, 9);
    expect(candidates[1]?.expectedCostUsd).toBeCloseTo(0.051 + 0.005, 9);
  });

  it("keeps the model where filling another cache would cost more than the other model saves", () => {
    const nearlyAsExpensive = { ...SMALL, price: { ...LARGE.price, inputUsdPerMtok: 1.9 } as ModelPrice };
    const { sticky, reason, candidates } = continued({ models: [LARGE, nearlyAsExpensive] });
    expect(candidates[0]?.model).toBe("large");
    expect(sticky).toMatchObject({ kept: true, previousModel: "large", reason: "switching_cost" });
    expect(sticky.savedUsd).toBeCloseTo(51_000 * 1.9e-6 + 0.005 - (0.012 + 0.01), 9);
    expect(reason).toContain("switching would cost more than it gains");
  });

  it("switches to a better model that is worth the cost, and says what that costs with the cache that is lost", () => {
    const better = { ...SMALL, quality: 0.95 };
    const { candidates, sticky } = continued({ models: [LARGE, better] });
    expect(candidates.map(({ model }) => model)).toEqual(["small", "large"]);
    expect(sticky).toMatchObject({ kept: false, previousModel: "large", reason: "worth_switching" });
    expect(sticky.savedUsd).toBeCloseTo(0.012 + 0.01 - (51_000 * 1e-6 + 0.005), 9);
  });

  it("says when the model would be chosen anyway", () => {
    const { sticky } = continued({ models: [{ ...LARGE, quality: 0.99 }, SMALL] });
    expect(sticky).toEqual({ kept: true, previousModel: "large", reason: "best_choice", savedUsd: 0 });
  });

  it.each<[string, Partial<PreviousAnswer>]>([
    ["that has expired", { ageMs: 300_001 }],
    ["of another provider", { provider: "azure" }],
    ["of too short a prompt", { billedTokens: 1_000, promptTokens: 990 }],
    ["of no prompt", { promptTokens: 0 }],
  ])("expects nothing in a cache %s", (_, previous) => {
    const models = [{ ...LARGE, quality: 0.99 }, SMALL];
    expect(selected({ models, previous })?.expectedCostUsd).toBeCloseTo(51_000 * 2e-6 + 0.01, 9);
  });

  it("expects of a cache that is filled on request what was reported", () => {
    const models = [{ ...LARGE, quality: 0.99, promptCache: ON_REQUEST }, SMALL];
    expect(selected({ models })?.expectedCostUsd).toBeCloseTo(0.102 + 0.01, 9);
    // Half of what was billed: 25,000 of 51,000 tokens.
    const half = selected({ models, previous: { reportedTokens: 25_024 } });
    expect(half?.expectedCostUsd).toBeCloseTo((25_000 * 0.2 + 26_000 * 2) / 1e6 + 0.01, 9);
  });

  it("adds the surcharge for what is written to a cache that the client fills", () => {
    const price = { ...LARGE.price, cacheWriteUsdPerMtok: 2.5 } as ModelPrice;
    const models = [{ ...LARGE, price, quality: 0.99, promptCache: ON_REQUEST }, SMALL];
    const expected = selected({ models, previous: { reportedTokens: 50_048 } })?.expectedCostUsd;
    expect(expected).toBeCloseTo((50_000 * 0.2 + 1_000 * 2.5) / 1e6 + 0.01, 9);
  });

  it("keeps the model of a tool loop whatever the scores, and says what that costs", () => {
    const better = { ...SMALL, quality: 0.95 };
    const asked = { models: [LARGE, better], previous: { inToolLoop: true } };
    const { candidates, reason, sticky } = continued(asked);
    expect(candidates.map(({ model }) => model)).toEqual(["large", "small"]);
    expect(sticky).toMatchObject({ kept: true, reason: "tool_loop" });
    expect(reason).toBe("answers its own tool calls");
    expect(sticky.savedUsd).toBeCloseTo(0.051 + 0.005 - (0.012 + 0.01), 9);
  });

  it("chooses as for a new conversation when the model is not a candidate any more", () => {
    const { estimates, options } = setUp({});
    for (const inToolLoop of [true, false]) {
      const { sticky, ...verdict } = continued({ previous: { model: "gone", inToolLoop } });
      expect(verdict).toEqual(decide(estimates, options));
      const unavailable = { kept: false, reason: "unavailable", savedUsd: null };
      expect(sticky).toEqual({ ...unavailable, previousModel: "gone" });
    }
  });

  it("leaves the choice to quality alone at a cost weight of 0", () => {
    const tradeOff = { ...TRADE_OFF, costWeight: 0 };
    const better = { ...SMALL, quality: 0.801 };
    expect(selected({ models: [LARGE, better], tradeOff })?.model).toBe("small");
  });

  it("shows no cost, and no saving, without a price", () => {
    const tradeOff = { ...TRADE_OFF, costWeight: 0 };
    const models = [{ ...LARGE, price: null }, SMALL];
    const { candidates, sticky } = continued({ models, tradeOff, previous: { inToolLoop: true } });
    expect(candidates[0]?.expectedCostUsd).toBeNull();
    expect(sticky).toMatchObject({ kept: true, savedUsd: null });
  });

  it("never gives up a model because more of its prompt is in the cache", () => {
    const tokens = fc.integer({ min: 0, max: 50_000 });
    const quality = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(tokens, tokens, quality, quality, (a, b, large, small) => {
        const models = [
          { ...LARGE, quality: large },
          { ...SMALL, quality: small },
        ];
        const kept = (promptTokens: number) => continued({ models, previous: { promptTokens } }).sticky.kept;
        if (kept(Math.min(a, b))) expect(kept(Math.max(a, b))).toBe(true);
      }),
      FIXED_CASES,
    );
  });
});
