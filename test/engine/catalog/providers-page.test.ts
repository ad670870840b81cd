import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shippedCatalogFile } from "../../../src/engine/catalog/catalog-file.js";
import {
  PUBLIC_PROVIDERS,
  type PublicProvider,
} from "../../../src/engine/catalog/providers/public-providers.js";
import { installCommand } from "../../../src/foundation/optional-package.js";
import { settingsSchema } from "../../../src/gateway/settings.js";
import { catalogOf } from "./catalog-of.js";

const PAGE = "../../../docs/providers.md";
const page = readFileSync(new URL(PAGE, import.meta.url), "utf8");

const KEYS = [
  "AZURE_EU",
  "INTERNAL",
  "PROXY",
  "OPENAI_KEY_SPARE",
  "OPENAI_API",
  "OPENROUTER_API",
  "ANTHROPIC_API",
];
const environment = Object.fromEntries(
  KEYS.flatMap((name) => [
    [name, "key"],
    [`${name}_KEY`, "key"],
  ]),
);

const examplesIn = (text: string): readonly object[] =>
  [...text.matchAll(/```json\n(.*?)\n```/gs)].map(([, json = ""]) => JSON.parse(json) as object);

describe("docs/providers.md", () => {
  it("has the table of providers (`npx vitest run test/engine/catalog/providers-page.test.ts -u` writes it)", async () => {
    const table = PUBLIC_PROVIDERS.map((provider) => `${row(provider)}\n`).join("");
    await expect(page.replace(/(?<=\|---\|\n)(\| `.*\n)+/, () => table)).toMatchFileSnapshot(PAGE);
  });

  it.each([
    ["## Adding a provider", "llama-3.1-8b-instruct", "gpu", "meta-llama/Llama-3.1-8B-Instruct", 0.02],
    ["## Adding a provider", "gpt-5.4-mini", "azure-eu", "mini-eu", 0.825],
    ["## Adding a provider", "mistral-nemo", "desk", "nemo-q6", 0],
    ["## Adding a provider", "our-writer", "internal", "our-writer", undefined],
    ["## Adding a provider", "gpt-5.5", "openai", "gpt-5.5", 5],
    ["## Several keys", "gpt-5.5", "openai", "gpt-5.5", 5],
    ["## Deployments", "support-bot", "openai", "gpt-5.4-mini", 0.75],
    ["## Deployments", "careful", "openrouter", "qwen/qwen3-235b-a22b", 0.455],
    ["## Prices", "gpt-5.4-mini", "openai", "gpt-5.4-mini", 0.6],
    ["## Prices", "anthropic/claude-opus-5", "anthropic", "claude-opus-5", 4],
  ])("has after “%s” an example that runs %s", (place, model, provider, upstreamModel, usd) => {
    const [example] = examplesIn(page.slice(page.indexOf(place)));
    const settings = settingsSchema.parse(example);
    const catalog = catalogOf({ ...settings, environment, at: new Date("2026-11-01") });
    const deployment = catalog.deployments(model).find((other) => other.provider === provider);
    expect(deployment).toMatchObject({ upstreamModel, enabled: true });
    expect(deployment?.price?.inputUsdPerMtok).toBe(usd);
  });

  it("has examples of settings that are accepted", () => {
    const examples = examplesIn(page);
    expect(examples).toHaveLength(5);
    for (const example of examples) expect(settingsSchema.parse(example)).toMatchObject(example);
  });

  it("names the models whose price depends on the hour", () => {
    const text = page.replace(/\s+/g, " ");
    const { hosts } = shippedCatalogFile();
    const hourly = PUBLIC_PROVIDERS.flatMap(({ priceList }) =>
      (hosts[priceList ?? ""]?.models ?? []).filter(({ prices }) => prices.some(({ hours }) => hours)),
    );
    const [, sentence = ""] = /at the price of its day and hour: ([^;]*?) cost more/.exec(text) ?? [];
    expect(sentence.match(/[^`]+(?=`(,| and|$))/g)).toEqual(hourly.map(({ id }) => id));
  });

  it("names the packages of each cloud", () => {
    expect(page).toContain(installCommand("@smithy/signature-v4", "@aws-sdk/credential-provider-node"));
    expect(page).toContain(installCommand("google-auth-library"));
    expect(page).toContain(installCommand("@azure/identity"));
  });
});

const MODELS = {
  listed: "its own",
  hosted: "other makers'",
  configured: "those of the settings",
} as const satisfies Record<PublicProvider["models"], string>;

function row(provider: PublicProvider): string {
  const { id, aliases, keyVariables, baseUrlVariables, baseUrl, needsKey, type, models, source } = provider;
  const isSigned = keyVariables.length === 0;
  const cells = [
    coded([id, ...aliases]),
    isSigned ? "none: `auth`" : `${coded(keyVariables)}${needsKey ? "" : " (optional)"}`,
    coded(baseUrlVariables) || "–",
    baseUrl === null ? (isSigned ? "by `auth`" : "none: required") : coded([baseUrl]),
    type,
    `[${MODELS[models]}](${source})`,
  ];
  return `| ${cells.join(" | ")} |`;
}

const coded = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
