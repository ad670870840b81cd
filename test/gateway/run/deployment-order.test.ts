import { describe, expect, it } from "vitest";
import { hostRules } from "../../../src/gateway/run/allowed-hosts.js";
import { EXPECTED_FIGURES, type HostFigures } from "../../../src/gateway/run/call-statistics.js";
import { type OrderOptions, orderDeployments } from "../../../src/gateway/run/deployment-order.js";
import { deploymentOf, ListedDeployments, priceOf } from "../../fakes/deployments.js";

const SIZE = { promptTokens: 1_000, answerTokens: 1_000 };

const cheap = deploymentOf("cheap", "m", { price: priceOf(1, 1, { cachedInputUsdPerMtok: 0.1 }) });
const expensive = deploymentOf("expensive", "m", { price: priceOf(2, 2, { cachedInputUsdPerMtok: 0.2 }) });
const unpriced = deploymentOf("unpriced", "m");
const sandbox = deploymentOf("sandbox", "m", { price: priceOf(0, 0) });

interface Circumstances extends Partial<Pick<OrderOptions, "sort" | "warm" | "rules">> {
  readonly ranks?: Readonly<Record<string, number>>;
  readonly figures?: Readonly<Record<string, Partial<HostFigures>>>;
}

const ordered = (
  deployments: Parameters<typeof orderDeployments>[0],
  { ranks = {}, figures = {}, sort = "price", ...rest }: Circumstances = {},
) =>
  orderDeployments(deployments, {
    size: SIZE,
    sort,
    ...rest,
    rank: ({ provider }) => ranks[provider] ?? 0,
    figures: ({ provider }) => ({ ...EXPECTED_FIGURES, ...figures[provider] }),
  });

const order = (...asked: Parameters<typeof ordered>) =>
  ordered(...asked).deployments.map(({ provider }) => provider);

const preferring = (asked: Parameters<typeof hostRules>[0]) =>
  hostRules(asked, { catalog: new ListedDeployments([cheap, expensive, unpriced]), policies: {} });

describe("The deployments of a model", () => {
  it("are called in the order of price, those of unknown price last", () => {
    expect(order([unpriced, expensive, cheap])).toEqual(["cheap", "expensive", "unpriced"]);
  });

  it("are called in the order of health first", () => {
    expect(order([cheap, expensive], { ranks: { cheap: 1 } })).toEqual(["expensive", "cheap"]);
    expect(ordered([cheap, expensive], { ranks: { cheap: 1 } }).choice?.reason).toBe("health");
  });

  it("end with the sandbox, although it is free and never fails", () => {
    expect(order([sandbox, unpriced, cheap], { ranks: { cheap: 2, unpriced: 2 } })).toEqual([
      "cheap",
      "unpriced",
      "sandbox",
    ]);
  });

  it("are compared by what a call costs that succeeds", () => {
    expect(order([cheap, expensive], { figures: { cheap: { errorRate: 0.4 } } })[0]).toBe("cheap");
    expect(order([cheap, expensive], { figures: { cheap: { errorRate: 0.6 } } })[0]).toBe("expensive");
  });

  it("that served another model of late come after the others, but not before what the caller asks for", () => {
    const figures = { cheap: { otherModelRate: 0.1 } };
    expect(order([cheap, expensive], { figures })).toEqual(["expensive", "cheap"]);
    expect(ordered([cheap, expensive], { figures }).choice?.reason).toBe("health");
    expect(order([expensive, cheap], { figures, rules: preferring({ order: ["cheap"] }) })[0]).toBe("cheap");
  });

  it("of one price are called in the order of latency, then in that of the settings", () => {
    const same = deploymentOf("same", "m", { price: cheap.price });
    expect(order([cheap, same])).toEqual(["cheap", "same"]);
    expect(ordered([cheap, same]).choice?.reason).toBe("configured");
    const slow = { figures: { cheap: { firstContentMs: 1500 } } };
    expect(order([cheap, same], slow)).toEqual(["same", "cheap"]);
    expect(ordered([cheap, same], slow).choice?.reason).toBe("latency");
  });

  it("are called in the order of latency or speed where that is asked for", () => {
    const figures = { cheap: { firstContentMs: 900 }, expensive: { tokensPerSecond: 90 } };
    expect(order([expensive, cheap], { figures, sort: "latency" })).toEqual(["cheap", "expensive"]);
    expect(order([cheap, expensive], { figures, sort: "throughput" })).toEqual(["expensive", "cheap"]);
    expect(order([cheap, expensive], { figures, rules: preferring({ sort: "throughput" }) })).toEqual([
      "expensive",
      "cheap",
    ]);
  });

  it("are called in the caller's order, others after them, or not at all without fallbacks", () => {
    const all = [cheap, expensive, unpriced];
    expect(order(all, { rules: preferring({ order: ["unpriced"] }) })).toEqual([
      "unpriced",
      "cheap",
      "expensive",
    ]);
    const strict = { order: ["unpriced", "expensive"], allow_fallbacks: false };
    expect(order(all, { rules: preferring(strict) })).toEqual(["unpriced", "expensive"]);
    expect(order(all, { rules: preferring({ allow_fallbacks: false }) })).toEqual(["cheap"]);
    expect(ordered(all, { rules: preferring(strict) }).choice?.reason).toBe("order");
  });

  it("begin with the one that has the conversation in its cache, unless it is in worse health or the caller orders otherwise", () => {
    const warm = { provider: "expensive", cachedTokens: 900 };
    expect(order([cheap, expensive], { warm })).toEqual(["expensive", "cheap"]);
    expect(order([cheap, expensive], { warm, ranks: { expensive: 3 } })).toEqual(["cheap", "expensive"]);
    expect(order([cheap, expensive], { warm, rules: preferring({ order: ["cheap"] }) })[0]).toBe("cheap");
  });

  it("say what staying saves and what leaving costs, the cache counted", () => {
    const costs = { cheap: 0.002, expensive: 0.004, read: 0.0001 * 2 + 0.0002 * 0.9 + 0.002 };
    const warm = { provider: "expensive", cachedTokens: 900 };
    const kept = ordered([cheap, expensive], { warm }).choice;
    expect(kept).toMatchObject({ reason: "conversation" });
    expect(kept?.saved_usd).toBeCloseTo(costs.cheap - costs.read, 12);
    const left = ordered([cheap, expensive], {
      warm: { ...warm, provider: "cheap" },
      ranks: { cheap: 3 },
    }).choice;
    expect(left).toMatchObject({ reason: "health" });
    expect(left?.saved_usd).toBeCloseTo(0.0001 + 0.00009 + 0.001 - costs.expensive, 12);
    expect(left?.saved_usd).toBeLessThan(0);
    expect(ordered([cheap, expensive]).choice?.saved_usd).toBeNull();
  });

  it("are left as they are where there is one", () => {
    expect(ordered([cheap])).toEqual({ deployments: [cheap] });
  });
});
