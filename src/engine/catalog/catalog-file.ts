/**
 * The catalog file, `catalog/models.json`: dated facts about models, and what their hosts charge, with sources.
 * `npm run catalog:update` writes it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { once } from "../../foundation/once.js";
import { PACKAGE_ROOT } from "../../foundation/package.js";

const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/, "must be a date such as 2026-01-31, 2026-01 or 2026");
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31");
const time = z.string().regex(/^\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})$/, "must be a time such as 16:30:00Z");
const names = z.array(z.string().min(1)).min(1).readonly();
const tokens = z.int().positive();
const rate = z.number().min(0);

/** US dollars per million tokens. Cached tokens without a rate are charged as others of the prompt. */
const ratesSchema = z.strictObject({
  input: rate,
  cached_input: rate.optional(),
  cache_write: rate.optional(),
  /** Of cache writes that are kept for an hour; absent = the rate of other cache writes. */
  cache_write_hour: rate.optional(),
  output: rate,
});

const chargeSchema = z.strictObject({
  ...ratesSchema.shape,
  /** The first day on which it holds, and the first on which it does not, in UTC; absent = always. */
  from: day.optional(),
  until: day.optional(),
  /** Hours of each day between which it holds. */
  hours: z.tuple([time, time]).readonly().optional(),
  /** Only from Monday to Friday, in UTC. */
  weekdays: z.literal(true).optional(),
  /** Rates of the whole request once its prompt exceeds that many tokens, shortest first. */
  above: z
    .array(z.strictObject({ tokens, ...ratesSchema.shape }))
    .readonly()
    .optional(),
  /** US dollars per thousand calls of a tool that the host runs: `web_search`, `file_search`. */
  calls: z.record(z.string(), rate).readonly().optional(),
  source: z.string().optional(),
  as_of: day.optional(),
});

const hostModelSchema = z.strictObject({
  id: z.string().min(1),
  /** Other names of it at the host; `*` at the end where a date, a three-digit version or `latest` may follow. */
  names: names.optional(),
  /** The host's own name, where the id is not one. */
  sent: z.string().min(1).optional(),
  context: tokens.optional(),
  deprecated: z.boolean().optional(),
  /** The last that holds counts. None: it is charged by something other than tokens, or its price is unknown. */
  prices: z.array(chargeSchema).readonly(),
});

const hostSchema = z.strictObject({
  /** Hosts whose models it sells at their prices. */
  resells: names.optional(),
  models: z.array(hostModelSchema).readonly(),
});

const variantSchema = z.union([
  z.literal("plain"),
  z.strictObject({ effort: z.string() }),
  z.strictObject({ thinking_tokens: tokens }),
  z.strictObject({ thinking: z.enum(["on", "off"]) }),
]);

/** What is uncertain is left out, and counts as unknown. */
const modelSchema = z.strictObject({
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
  /** Provider → its name of the model, where that is neither the id nor the listed one; null where it has no such model, or another one under that name. */
  names: z.record(z.string(), z.string().min(1).nullable()).readonly().optional(),
  /** Other names of the same model: the vendor's dated names, names with another spelling. */
  aliases: names.optional(),
  /** `completions` for weights without a chat template; absent = `chat`. */
  api: z.literal("completions").optional(),
  /** The same model among a host's; `none` where the nearest there are other models. */
  listed: z.union([z.strictObject({ provider: z.string(), id: z.string() }), z.literal("none")]).optional(),
  /** Dated model of the vendor's undated name, whose profile it shares. */
  snapshot: z.string().optional(),
  /** Catalog id whose price, context and capabilities also apply to this one: the same weights with other settings. */
  priced_as: z.string().optional(),
  /** How the settings of a `priced_as` model are requested. Absent when that is impossible, so that no provider serves it. */
  variant: variantSchema.optional(),
  /** Catalog id of the model that it succeeds; null where its name says another than its maker does. */
  predecessor: z.string().nullable().optional(),
  /** Page that the facts are from. */
  source: z.string().optional(),
  as_of: day.optional(),
});

const retirementsSchema = z.strictObject({
  /** Page the dates are from. */
  source: z.url(),
  note: z.string().optional(),
  /** Date from which requests fail, or are answered by another model → names; `*` matches any ending. */
  names: z.record(day, names).readonly(),
  /** Name as listed → catalog id of the model that answers in its place from then on, at its own price. */
  answered_by: z.record(z.string(), z.string()).readonly().optional(),
  /** Name as listed → catalog id of the model that the vendor recommends instead. */
  successors: z.record(z.string(), z.string()).readonly().optional(),
});

const apisSchema = z.strictObject({
  /** The provider's names; `*` matches any ending. */
  models: names,
  /** The only endpoint that serves them, where the provider has several. */
  api: z.enum(["chat", "responses"]),
  source: z.url(),
  as_of: day,
});

const tierSchema = z.strictObject({
  /** The provider's names, without a date; `*` matches any ending. Absent = all of its models. */
  models: names.optional(),
  /** Service tier → multiple of the list price. Of several rules the last counts. */
  tiers: z.record(z.string(), z.number().positive()).readonly(),
  /** The first day on which it holds, and the first on which it does not, in UTC; absent = always. */
  from: day.optional(),
  until: day.optional(),
  source: z.url(),
  note: z.string().optional(),
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
  note: z.string().optional(),
  /** When it was last compared with what the vendor says. */
  as_of: day.optional(),
});

/** What people keep by hand: `datasets/catalog/reviewed.json`. */
export const reviewedSchema = z.strictObject({
  /** By provider. Names are compared with dashes for dots. */
  retirements: z.record(z.string(), retirementsSchema).readonly(),
  reasoning: z.array(reasoningSchema).readonly(),
  /** By provider: models that not every endpoint of it serves. */
  apis: z.record(z.string(), z.array(apisSchema).readonly()).readonly(),
  /** By provider. A tier that no rule has is charged in a way that is not known. */
  tiers: z.record(z.string(), z.array(tierSchema).readonly()).readonly(),
  /** By catalog id. */
  models: z.record(z.string(), modelSchema).readonly(),
  /** By host, in the order in which names are looked up. */
  hosts: z.record(z.string(), hostSchema).readonly(),
});

export const catalogSchema = z.strictObject({
  /** Day of the last update of the facts. */
  as_of: day,
  /** Licences of the lists that it is made of. */
  notices: z.array(z.string()).readonly(),
  ...reviewedSchema.shape,
});

export type ReviewedFile = z.infer<typeof reviewedSchema>;
export type CatalogFile = z.infer<typeof catalogSchema>;
/** Facts of a model. */
export type ModelEntry = z.infer<typeof modelSchema>;
export type ReasoningRule = z.infer<typeof reasoningSchema>;
/** A host's models and what it charges for them. */
export type Host = z.infer<typeof hostSchema>;
export type HostModel = z.infer<typeof hostModelSchema>;
export type Charge = z.infer<typeof chargeSchema>;
export type ChargedRates = z.infer<typeof ratesSchema>;
/**
 * How a model is asked to think, in words of no dialect: as little or as much as `effort` says, with a budget of tokens,
 * or not at all where it is a choice. `plain`: the same request as for the model itself.
 */
export type Variant = z.infer<typeof variantSchema>;

/** A part of the package: a test checks it against the schema, which would take a twentieth of every start. */
export const shippedCatalogFile = once(() => readCatalogFile("models.json") as CatalogFile);

let chosen: CatalogFile | undefined;

export const catalogFileInUse = (): CatalogFile => chosen ?? shippedCatalogFile();

/** Everything is worked out of that file from now on. */
export function useCatalogFile(file: CatalogFile): void {
  chosen = file;
}

/** What is worked out of the catalog file in use, once for each. @throws an Error that names the file when it cannot be read */
export function ofCatalog<Value>(compute: (file: CatalogFile) => Value): () => Value {
  let computed: { readonly from: CatalogFile; readonly value: Value } | undefined;
  return () => {
    const from = catalogFileInUse();
    if (computed?.from !== from) computed = { from, value: compute(from) };
    return computed.value;
  };
}

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
