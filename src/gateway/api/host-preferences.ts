/**
 * `provider` of a request as an object: OpenRouter's provider preferences, for the gateway's own providers.
 * https://openrouter.ai/docs/features/provider-routing and
 * https://openrouter.ai/docs/client-sdks/typescript/models/maxprice (as indexed on 2026-11-26).
 */
import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";

const HOST_SORTS = ["price", "throughput", "latency"] as const;
const MOST_NAMES = 128;
const QUANTIZATIONS = ["int4", "int8", "fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "unknown"] as const;

const oneOf = (values: readonly string[]) => ({ error: `it must be one of ${values.join(", ")}` });
const flag = z.boolean({ error: "it must be true or false" }).nullish();

const badName = { error: "it must be the id of a provider, such as `openai`, of 1 to 256 characters" };
const badNames = { error: `it must be a list of at most ${MOST_NAMES} ids of providers` };
const names = z
  .array(z.string(badName).min(1, badName).max(256, badName), badNames)
  .max(MOST_NAMES, badNames);

const badPrice = { error: "it must be a number of US dollars of at least 0, or such a number as a text" };
const price = z
  .union([z.number().min(0, badPrice), z.string().regex(/^\d+(\.\d+)?$/, badPrice)], badPrice)
  .optional();

const badBound = { error: "it must be a number above 0, or an object of such numbers by percentile" };
const bound = z
  .union([z.number().positive(), z.partialRecord(z.enum(["p50", "p75", "p90", "p99"]), z.number())], badBound)
  .nullish();

const sortBy = z.enum(HOST_SORTS, oneOf(HOST_SORTS));
const sort = z.union(
  [
    sortBy,
    closedObject(
      {
        by: sortBy,
        partition: z.enum(["model"], { error: 'it must be "model": models keep their order' }).nullish(),
      },
      "it must be an object with `by`",
    ),
  ],
  { error: `it must be one of ${HOST_SORTS.join(", ")}, or an object with \`by\`` },
);

/** Which providers may answer, and in which order they are asked. */
export const hostPreferences = closedObject(
  {
    order: names.nullish().describe("Ids of providers to ask first, in this order."),
    allow_fallbacks: flag.describe("`false`: only those of `order`, or else only the first. Default true."),
    only: names.nullish().describe("Only these may answer."),
    ignore: names.nullish().describe("These may not answer."),
    sort: sort.nullish().describe("What decides the order. Default: the setting `host_sort`."),
    max_price: closedObject(
      { prompt: price, completion: price, request: price, image: price, audio: price },
      "it must be an object with `prompt` and `completion`, in US dollars per million tokens",
    )
      .nullish()
      .describe("Most that a provider may bill: US dollars per million tokens of `prompt` and `completion`."),
    data_collection: z
      .enum(["allow", "deny"], oneOf(["allow", "deny"]))
      .nullish()
      .describe("`deny`: only providers of which the setting `provider_policies` says so."),
    zdr: flag.describe("`true`: only providers of which the setting says that they retain nothing."),
    quantizations: z
      .array(z.enum(QUANTIZATIONS, oneOf(QUANTIZATIONS)), {
        error: "it must be a list of quantizations",
      })
      .nullish()
      .describe("Only OpenRouter can fulfil it."),
    enforce_distillable_text: flag.describe("Only OpenRouter can fulfil it."),
    require_parameters: flag.describe("For OpenRouter."),
    preferred_min_throughput: bound.describe("For OpenRouter."),
    preferred_max_latency: bound.describe("For OpenRouter."),
  },
  "it must be an object of provider preferences, such as `only` and `sort`",
);

/** The same, as a client writes it. */
export type HostPreferencesBody = z.infer<typeof hostPreferences>;
