import { expect, it } from "vitest";
import { describeModel } from "../../../src/engine/catalog/describe-model.js";
import { catalogOf } from "./catalog-of.js";

it("A described model has a list price unless it is free or unknown", () => {
  const prices = {
    even: { input_usd_per_mtok: 2, output_usd_per_mtok: 2 },
    free: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 },
  };
  const { lookup } = catalogOf({ prices });
  const listPrices = ["even", "free", "unknown"].map((model) => describeModel(model, lookup).listPrice);
  expect(listPrices).toEqual([{ inputUsdPerMtok: 2, outputUsdPerMtok: 2 }, null, null]);
});
