/** The catalog file, `catalog/models.json`: dated facts about models, with their sources. Read once, at the first use. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../../foundation/package.js";
import type { ModelEntry } from "./model-entry.js";
import type { Price } from "./price.js";

const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/, "must be a date such as 2026-01-31, 2026-01 or 2026");
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31");
const names = z.array(z.string().min(1)).min(1).readonly();
const tokens = z.int().positive();
const rate = z.number().min(0);

const priceSchema = z.strictObject({
  /** US dollars per million tokens. */
  input: rate,
  cached_input: rate.optional(),
  cache_write: rate.optional(),
  output: rate,
  source: z.string().optional(),
  as_of: day.optional(),
});

const pricesSchema = z.record(z.string(), priceSchema).readonly();
const providerNames = z.record(z.string(), z.string().min(1).nullable()).readonly();

/** Facts in every source of models. */
const factFields = {
  maker: z.string().optional(),
  family: z.string().optional(),
  released: date.optional(),
  /** Tokens of prompt and answer together. */
  context: tokens.optional(),
  max_output: tokens.optional(),
  /** Kinds of input, such as `text`, `image`, `pdf`. */
  input: names.optional(),
  tools: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  /** Whether its weights are open. */
  open_weights: z.boolean().optional(),
  /** Provider → its name of the model; null where it has no such model, or another model under that name. */
  names: providerNames.optional(),
  /** Provider → price, where the public price list has none. */
  prices: pricesSchema.optional(),
} as const;

/** Facts imported by `npm run catalog:update`, which replaces them as a whole. */
const importedSchema = z.strictObject({ ...factFields, source: z.string(), as_of: day.optional() });

const variantSchema = z.union([
  z.literal("plain"),
  z.strictObject({ effort: z.string() }),
  z.strictObject({ thinking_tokens: tokens }),
  z.strictObject({ thinking: z.enum(["on", "off"]) }),
]);

/** Reviewed manually, except `imported`, which applies where there are no reviewed facts. */
const modelSchema = z.strictObject({
  ...factFields,
  /** Other names of the same model: the vendor's dated names, names with another spelling. */
  aliases: names.optional(),
  api: z.literal("completions").optional(),
  listed: z.union([z.strictObject({ provider: z.string(), id: z.string() }), z.literal("none")]).optional(),
  snapshot: z.string().optional(),
  priced_as: z.string().optional(),
  variant: variantSchema.optional(),
  /** Page that the reviewed facts are from. */
  source: z.url().optional(),
  as_of: day.optional(),
  imported: importedSchema.optional(),
});

const retirementsSchema = z.strictObject({
  /** Page the dates are from. */
  source: z.url(),
  note: z.string().optional(),
  /** Date from which requests fail, or are answered by another model → names; `*` matches any ending. */
  names: z.record(day, names).readonly(),
});

const apisSchema = z.strictObject({
  /** The provider's names; `*` matches any ending. */
  models: names,
  /** The only endpoint that serves them, where the provider has several. */
  api: z.enum(["chat", "responses"]),
  source: z.url(),
  as_of: day,
});

const reasoningSchema = z.strictObject({
  /** Catalog ids; `*` matches any ending. The first matching rule applies. */
  models: names,
  /**
   * `effort`: levels by `reasoning_effort`. `adaptive`: Anthropic's thinking with an effort. `budget`: Anthropic's
   * thinking with a token budget. `toggle`: on or off. `always`: thinking cannot be changed.
   */
  control: z.enum(["effort", "adaptive", "budget", "toggle", "always"]),
  /** Weakest first; for `effort` and `adaptive`. */
  levels: names.optional(),
  /** The default of a request: a level, `none`, `thinking`, `auto` (the model decides), `always`. */
  default: z.string().optional(),
  source: z.url(),
  /** When it was last compared with what the vendor says. */
  as_of: day.optional(),
});

export const catalogSchema = z.strictObject({
  /** Date of the last update of the facts. */
  as_of: day,
  /** By provider. Names are compared with dashes for dots. */
  retirements: z.record(z.string(), retirementsSchema).readonly(),
  reasoning: z.array(reasoningSchema).readonly(),
  /** By provider: models that not every endpoint of it serves. */
  apis: z.record(z.string(), z.array(apisSchema).readonly()).readonly(),
  /** By catalog id. */
  models: z.record(z.string(), modelSchema).readonly(),
});

export type CatalogFile = z.infer<typeof catalogSchema>;
type CatalogModel = z.infer<typeof modelSchema>;
export type ReasoningRule = z.infer<typeof reasoningSchema>;

export interface CatalogData extends Pick<CatalogFile, "retirements" | "reasoning" | "apis"> {
  readonly models: ReadonlyMap<string, ModelEntry>;
}

let loaded: CatalogData | undefined;

/** @throws an Error that names the file when it cannot be read */
export function catalogData(): CatalogData {
  // A part of the package: a test checks it against the schema, which would take a twentieth of every start.
  loaded ??= catalogOf(readCatalogFile("models.json") as CatalogFile);
  return loaded;
}

function catalogOf({ models, ...rules }: CatalogFile): CatalogData {
  const entries = Object.entries(models).map(([id, model]) => [id, entryOf(model)] as const);
  return { ...rules, models: new Map(entries) };
}

function entryOf({ imported, variant, ...reviewed }: CatalogModel): ModelEntry {
  const model = { ...imported, ...reviewed };
  return {
    ...optional({
      maker: model.maker,
      released: model.released,
      aliases: model.aliases,
      contextTokens: model.context,
      maxOutputTokens: model.max_output,
      input: model.input,
      images: model.input?.includes("image"),
      tools: model.tools,
      structuredOutput: model.structured_output,
      api: model.api,
      listed: model.listed,
      snapshot: model.snapshot,
      priced_as: model.priced_as,
      variant:
        typeof variant === "object" && "thinking_tokens" in variant
          ? { thinkingTokens: variant.thinking_tokens }
          : variant,
      asOf: model.as_of,
    }),
    names: { ...imported?.names, ...reviewed.names },
    prices: pricesOf({ ...imported?.prices, ...reviewed.prices }),
    source: model.source ?? "",
  };
}

type Defined<Fields> = { [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

/** Without the fields that are undefined. */
function optional<Fields extends object>(fields: Fields): Defined<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Fields>;
}

function pricesOf(prices: z.infer<typeof pricesSchema>): Readonly<Record<string, Price>> {
  return Object.fromEntries(Object.entries(prices).map(([provider, rates]) => [provider, priceOf(rates)]));
}

const priceOf = (price: z.infer<typeof priceSchema>): Price => ({
  inputUsdPerMtok: price.input,
  cachedInputUsdPerMtok: price.cached_input ?? null,
  cacheWriteUsdPerMtok: price.cache_write ?? null,
  cacheWriteHourUsdPerMtok: null,
  outputUsdPerMtok: price.output,
  tiers: [],
});

/** A file of the folder `catalog/`, which is shipped with the package. @throws an Error that names the file */
export function readCatalogFile(name: string): unknown {
  const path = join(PACKAGE_ROOT, "catalog", name);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`The catalog file ${path} cannot be read: ${String(cause)}. Reinstall the package.`, {
      cause,
    });
  }
}
