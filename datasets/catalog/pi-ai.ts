/**
 * Models and prices of the package @earendil-works/pi-ai (MIT), which is unpacked and not installed: what its files
 * `dist/providers/data/*.json` say of chats, by provider.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ChargedRates } from "../../src/engine/catalog/catalog-file.js";
import type { SourceRecord } from "./source-records.js";

/** Our providers, or hosts of the price list, by the package's names for them. */
const HOSTS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  mistral: "mistral",
  deepseek: "deepseek",
  xai: "x-ai",
  meta: "meta",
  moonshotai: "moonshotai",
  groq: "groq",
  together: "together",
  fireworks: "fireworks",
  cerebras: "cerebras",
  openrouter: "openrouter",
};

/** Hosts whose models are the maker's own, with the maker's name in the catalog. */
const MAKERS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  xai: "xai",
  deepseek: "deepseek",
  meta: "meta",
  moonshotai: "moonshotai",
};

const rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

const chatSchema = z.object({
  id: z.string(),
  input: z.array(z.string()),
  cost: rates.extend({ tiers: z.array(rates.extend({ inputTokensAbove: z.number() })).optional() }),
  contextWindow: z.number(),
  maxTokens: z.number(),
});

/** Dialect → key → model. */
const fileSchema = z.record(z.string(), z.record(z.string(), z.looseObject({ type: z.string() })));

/**
 * @param folder of the unpacked package
 * @param asOf day of its publication
 */
export function piAiRecords(folder: string, asOf: string): readonly SourceRecord[] {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const source = `https://www.npmjs.com/package/@earendil-works/pi-ai/v/${version}`;
  return Object.entries(HOSTS).flatMap(([listed, provider]) => {
    const file = join(folder, "dist", "providers", "data", `${listed}.json`);
    const models = Object.values(fileSchema.parse(JSON.parse(readFileSync(file, "utf8")))).flatMap((byKey) =>
      Object.values(byKey).filter(({ type }) => type === "chat"),
    );
    const maker = MAKERS[listed];
    return models
      .map((model) => chatSchema.parse(model))
      .map(({ id, input, cost: { tiers = [], ...cost }, contextWindow, maxTokens }): SourceRecord => {
        const base = chargedRates(cost, provider);
        // xAI's are "≥ 200k tokens": https://docs.x.ai/developers/pricing, read on 2026-11-28.
        const above = tiers.flatMap(({ inputTokensAbove: tokens, ...there }) => {
          const charged = chargedRates(there, provider);
          return charged === null ? [] : [{ tokens: tokens - (provider === "x-ai" ? 1 : 0), ...charged }];
        });
        return {
          provider,
          name: id,
          ofMaker: maker !== undefined,
          // It has no kinds of input but text and images.
          completes: true,
          facts: {
            ...(maker === undefined ? {} : { maker }),
            // Of OpenAI's long contexts it has the part with the lower price.
            ...(contextWindow === tiers[0]?.inputTokensAbove ? {} : { context: contextWindow }),
            max_output: maxTokens,
            input,
            // It lists no others.
            tools: true,
          },
          price: base === null ? null : { ...base, ...(above.length === 0 ? {} : { above }) },
          source,
          asOf,
        };
      });
  });
}

/** Null for what costs nothing: that is an offer of the day, or another way of billing. 0 of a cache is no rate. */
function chargedRates(cost: z.infer<typeof rates>, provider: string): ChargedRates | null {
  const { input, output, cacheRead, cacheWrite } = cost;
  if (input <= 0 || output <= 0) return null;
  // OpenRouter's prices of some open weights are means over what its hosts charge, cached tokens included (a guess).
  if (provider === "openrouter" && cacheRead > input / 2) return null;
  const writes = cacheWrite > 0 && provider !== "openrouter";
  return {
    input,
    ...(cacheRead > 0 ? { cached_input: cacheRead } : {}),
    ...(writes ? { cache_write: cacheWrite } : {}),
    // Twice the input, as https://platform.claude.com/docs/en/models/haiku-5-5/overview has it (read on 2026-11-28); of others a guess.
    ...(writes && provider === "anthropic" ? { cache_write_hour: 2 * input } : {}),
    output,
  };
}
