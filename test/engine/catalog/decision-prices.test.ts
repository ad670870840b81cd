/** The price that decisions reckon with is the one that the answer is billed at. */
import { expect, it } from "vitest";
import { settingsSchema } from "../../../src/gateway/settings.js";
import { catalogOf } from "./catalog-of.js";

const VENDOR = "https://api.openai.com/v1";
const usd = (rate: number) => ({ input_usd_per_mtok: rate, output_usd_per_mtok: rate });
const lab = (model: object = {}, base_url = "http://localhost:9/v1") => ({
  id: "lab",
  type: "openai-compatible",
  base_url,
  models: [{ id: "gpt-4o-mini", ...model }],
});
const catalogAt = (settings: object) =>
  catalogOf({ ...settingsSchema.parse(settings), environment: { OPENAI_API_KEY: "key" } });
const bot = { name: "bot", provider: "openai", upstream_model: "gpt-4o-mini", profile: "gpt-4o-mini" };

it.each([
  ["the public list's", {}, "gpt-4o-mini", 0.15],
  ["the provider's own", { providers: [lab({ price: usd(2) })] }, "gpt-4o-mini", 2],
  [
    "the provider's own, whatever `prices` says of the model",
    { providers: [lab({ price: usd(2) })], prices: { "gpt-4o-mini": usd(1) } },
    "gpt-4o-mini",
    2,
  ],
  ["that of `prices`", { providers: [lab()], prices: { "gpt-4o-mini": usd(1) } }, "gpt-4o-mini", 1],
  [
    "that of `prices` at the provider",
    { providers: [lab()], prices: { "lab/gpt-4o-mini": usd(1), "gpt-4o-mini": usd(3) } },
    "gpt-4o-mini",
    1,
  ],
  ["that of `prices` at a public one", { prices: { "openai/gpt-4o-mini": usd(1) } }, "gpt-4o-mini", 1],
  ["the vendor's, at its address", { providers: [lab({}, VENDOR)] }, "gpt-4o-mini", 0.15],
  ["the deployment's", { deployments: [{ ...bot, price: usd(4) }], prices: { bot: usd(5) } }, "bot", 4],
  ["that of `prices` for a deployment", { deployments: [bot], prices: { bot: usd(5) } }, "bot", 5],
  ["that of `prices` for its profile", { deployments: [bot], prices: { "gpt-4o-mini": usd(6) } }, "bot", 6],
])("The price for decisions and for charges is %s", (_, given, model, rate) => {
  const catalog = catalogAt(given);
  expect(catalog.deployments(model)[0]?.price?.inputUsdPerMtok).toBe(rate);
  expect(catalog.lookup(model).price?.inputUsdPerMtok).toBe(rate);
});

it("The price for decisions is the list's for a provider whose bill is unknown", () => {
  const catalog = catalogAt({ providers: [lab()] });
  expect(catalog.deployments("gpt-4o-mini")[0]).toMatchObject({ provider: "lab", price: null });
  expect(catalog.lookup("gpt-4o-mini")).toMatchObject({ provider: "lab", price: { inputUsdPerMtok: 0.15 } });
});
