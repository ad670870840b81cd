import { z } from "zod";
import { PRICE_SOURCES } from "../../../engine/catalog/deployments/deployment.js";
import { DIALECTS } from "../../../engine/catalog/providers/dialect.js";
import { closedObject } from "../../../foundation/closed-object.js";
import { CIRCUIT_STATES } from "../../run/circuit-breaker.js";

const badModel = { error: "it must be one model id" };

export const providersQuerySchema = closedObject(
  {
    model: z
      .string(badModel)
      .min(1, badModel)
      .default("gpt-4o-mini")
      .describe("A model id, `provider/id` or a deployment's name."),
  },
  "it must be a query",
);

const usdPerMtok = z.number().min(0);

const deploymentSchema = z.strictObject({
  id: z.string().describe("Id of the provider."),
  type: z.enum(DIALECTS).describe("Wire dialect."),
  enabled: z.boolean().describe("Whether its credentials are configured."),
  upstream_model: z.string().describe("Name the provider knows the model by."),
  price: z
    .strictObject({
      input_usd_per_mtok: usdPerMtok,
      cached_input_usd_per_mtok: usdPerMtok.nullable().describe("Null: billed as other prompt tokens."),
      output_usd_per_mtok: usdPerMtok,
    })
    .nullable()
    .describe("US dollars per million tokens; null when unknown."),
  context_tokens: z.int().nullable().describe("Prompt and answer together; null when unknown."),
  health: z.strictObject({
    state: z.enum(CIRCUIT_STATES).describe("`open`: not asked for a while."),
    reason: z
      .string()
      .nullable()
      .describe("Code of the failure that it is not asked for; null while closed."),
    error_rate: z.number().min(0).max(1).nullable().describe("Of recent calls; null before the first."),
    p50_ttft_ms: z.number().min(0).nullable().describe("Of recent calls; null before the first."),
  }),
});

/** Answer of `GET /v1/providers`. */
export const providerListSchema = z.object({
  object: z.literal("list"),
  model: z.string(),
  data: z.array(deploymentSchema),
  request_id: z.string(),
});

/** One provider of a model. */
export type DeploymentBody = z.infer<typeof deploymentSchema>;
export type ProviderListBody = z.infer<typeof providerListSchema>;

const { id: _id, type, enabled: _enabled, ...deploymentFields } = deploymentSchema.shape;

const servedModel = z.strictObject({
  model: z.string(),
  ...deploymentFields,
  price_source: z
    .enum(PRICE_SOURCES)
    .nullable()
    .describe("Where the price is from: the settings, or the public price list; null when it is unknown."),
  retires_at: z
    .string()
    .nullable()
    .describe("Day on which the provider stops serving it, `2026-12-31`; null when none is known."),
  successor: z
    .string()
    .nullable()
    .describe("What answers under its name from then on, or is recommended; null when unknown."),
});

const keyHealth = {
  state: z
    .enum(["usable", "resting", "refused", "not_set"])
    .describe(
      "`resting`: the vendor asked for fewer requests; `refused`: it refused the key, or its account is empty or has not got the model; `not_set`: the variable is not set.",
    ),
  reason: z.string().nullable().describe("Code of the failure that it rests for; null while it is usable."),
  rests_for_ms: z.int().min(0).describe("Milliseconds until it may be used again."),
  calls: z.int().min(0).describe("Since the start; calls whose clients left are not counted."),
  failures: z.int().min(0).describe("Of these, those that failed."),
};

const providerKey = z.strictObject({
  name: z.string().describe("Its name, or the variable that holds it."),
  weight: z.number(),
  ...keyHealth,
  in_flight: z.int().min(0).describe("Calls under way."),
  models: z
    .array(z.strictObject({ upstream_model: z.string(), ...keyHealth }))
    .describe("Models that were called with it: vendors limit each one separately."),
});

const adminProviderSchema = z.strictObject({
  id: z.string(),
  type,
  enabled: z.boolean().describe("Whether it is configured, so that requests can be sent."),
  remedy: z.string().describe("What enables it, such as a variable; empty when nothing is needed."),
  keys: z.array(providerKey).describe("Where it has several; empty for one key or none."),
  models: z
    .array(servedModel)
    .describe("What it serves of the models that can be used, by name; empty unless it is enabled."),
});

/** Answer of `GET /admin/providers`. */
export const adminProviderListSchema = z.strictObject({
  object: z.literal("list"),
  catalog_as_of: z.string().describe("Day of the last update of models and prices, `2026-12-31`."),
  data: z.array(adminProviderSchema),
  request_id: z.string(),
});

export type AdminProviderBody = z.infer<typeof adminProviderSchema>;
export type AdminProviderListBody = z.infer<typeof adminProviderListSchema>;

const badTestedModel = { error: "it must be one model id" };

/** Body of `POST /admin/providers/{id}/test`. */
export const connectionTestRequestSchema = closedObject(
  {
    model: z
      .string(badTestedModel)
      .min(1, badTestedModel)
      .optional()
      .describe("A model that the provider serves. Default: the cheapest one."),
  },
  "it must be an object",
);

/** Answer of `POST /admin/providers/{id}/test`. */
export const connectionTestSchema = z.strictObject({
  object: z.literal("provider.test"),
  provider: z.string(),
  model: z.string(),
  upstream_model: z.string(),
  ok: z.boolean().describe("Whether the provider answered."),
  code: z.string().describe("`ok`, or what went wrong, in the words of a trace's attempts."),
  status: z.int().nullable().describe("HTTP status of the reply; null without one."),
  message: z
    .string()
    .nullable()
    .describe("The provider's own words, secrets removed; null when it answered."),
  latency_ms: z.number().min(0),
  usage: z
    .strictObject({ prompt_tokens: z.int(), completion_tokens: z.int() })
    .nullable()
    .describe("As the provider counted; null when it did not."),
  cost_usd: z
    .number()
    .min(0)
    .nullable()
    .describe("Of the call; null when no tokens were counted or no price is known."),
  request_id: z.string(),
});

export type ConnectionTestBody = z.infer<typeof connectionTestSchema>;
