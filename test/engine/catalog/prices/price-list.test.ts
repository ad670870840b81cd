import { expect, it } from "vitest";
import { priceListText } from "../../../../datasets/catalog/price-list.js";

it("catalog/prices.json has the prices of the installed @pydantic/genai-prices (`npx vitest run test/engine/catalog/prices/price-list.test.ts -u` writes it)", async () => {
  await expect(priceListText()).toMatchFileSnapshot("../../../../catalog/prices.json");
});
