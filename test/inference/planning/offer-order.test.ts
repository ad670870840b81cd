import { describe, expect, it } from "vitest";
import { orderOffers } from "../../../src/inference/planning/offer-order.js";
import { offerOf, priceOf } from "../../fakes/offers.js";

const SIZE = { promptTokens: 1_000, answerTokens: 1_000 };

const cheap = offerOf("cheap", "m", { price: priceOf(1, 1) });
const dear = offerOf("dear", "m", { price: priceOf(2, 2) });
const unpriced = offerOf("unpriced", "m");
const sandbox = offerOf("sandbox", "m", { price: priceOf(0, 0) });

const order = (offers: Parameters<typeof orderOffers>[0], ranks: Readonly<Record<string, number>> = {}) =>
  orderOffers(offers, { rank: ({ provider }) => ranks[provider] ?? 0, size: SIZE }).map(
    ({ provider }) => provider,
  );

describe("the offers of a model", () => {
  it("are tried in the order of price, an unknown one last", () => {
    expect(order([unpriced, dear, cheap])).toEqual(["cheap", "dear", "unpriced"]);
  });

  it("are tried in the order of health first", () => {
    expect(order([cheap, dear], { cheap: 1 })).toEqual(["dear", "cheap"]);
  });

  it("end with the sandbox, though it is free and never fails", () => {
    expect(order([sandbox, unpriced, cheap], { cheap: 2, unpriced: 2 })).toEqual([
      "cheap",
      "unpriced",
      "sandbox",
    ]);
  });
});
