import { describe, expect, it } from "vitest";
import { orderDeployments } from "../../../../src/gateway/inference/planning/deployment-order.js";
import { deploymentOf, priceOf } from "../../../fakes/deployments.js";

const SIZE = { promptTokens: 1_000, answerTokens: 1_000 };

const cheap = deploymentOf("cheap", "m", { price: priceOf(1, 1) });
const expensive = deploymentOf("expensive", "m", { price: priceOf(2, 2) });
const unpriced = deploymentOf("unpriced", "m");
const sandbox = deploymentOf("sandbox", "m", { price: priceOf(0, 0) });

const order = (
  deployments: Parameters<typeof orderDeployments>[0],
  ranks: Readonly<Record<string, number>> = {},
) =>
  orderDeployments(deployments, { rank: ({ provider }) => ranks[provider] ?? 0, size: SIZE }).map(
    ({ provider }) => provider,
  );

describe("The deployments of a model", () => {
  it("are called in the order of price, those of unknown price last", () => {
    expect(order([unpriced, expensive, cheap])).toEqual(["cheap", "expensive", "unpriced"]);
  });

  it("are called in the order of health first", () => {
    expect(order([cheap, expensive], { cheap: 1 })).toEqual(["expensive", "cheap"]);
  });

  it("end with the sandbox, although it is free and never fails", () => {
    expect(order([sandbox, unpriced, cheap], { cheap: 2, unpriced: 2 })).toEqual([
      "cheap",
      "unpriced",
      "sandbox",
    ]);
  });
});
