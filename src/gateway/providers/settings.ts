import { z } from "zod";
import { deploymentsSchema, pricesSchema, providersSchema } from "../../engine/index.js";
import { field, switchField } from "../settings/field.js";

const providerPolicySchema = z.strictObject({
  region: z.string().min(1).optional(),
  data_collection: z.enum(["allow", "deny"]).optional(),
  zdr: z.boolean().optional(),
});

/** Which models can be run, where, and for how much. */
export const providersSettings = {
  sandbox: switchField(
    { usual: false },
    "Whether the provider `sandbox` serves every live model and deployment, with placeholder answers and without a network: " +
      "for trying out, never for production.",
  ),
  providers: field(
    providersSchema.default([]),
    "Providers beyond the public ones, with their models and prices. File only.",
    { expects: "a list of providers" },
  ),
  deployments: field(
    deploymentsSchema.default([]),
    "Your own names for models at a provider, with their own price and a model's profile. File only.",
    { expects: "a list of deployments" },
  ),
  providerPolicies: field(
    z.record(z.string().min(1), providerPolicySchema).default({}),
    "What you know of providers, by id, for requests whose `provider` asks for it: `region` (such as `eu`; `only: " +
      '["azure/eu"]` asks for it), `data_collection` (`"deny"` where it neither keeps nor trains on what it gets) and `zdr` ' +
      "(`true` where it retains nothing). Nothing else is assumed. File only.",
    { expects: "an object of provider id → `region`, `data_collection`, `zdr`" },
  ),
  fallbacks: field(
    z.record(z.string().min(1), z.array(z.string().min(1)).min(1).max(16)).default({}),
    "Models to try, in order, when no provider of a model can answer, for requests that name that model without " +
      "`fallbacks`. File only.",
    { expects: "an object of model → list of models" },
  ),
  prices: field(pricesSchema.default({}), "Prices by model id that replace the public ones. File only.", {
    expects: "an object of model id → price",
  }),
};
