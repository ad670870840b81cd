import { z } from "zod";

const limit = z.number().nullable().default(null);

/** A key's own limits. Null: the default of the settings, which have none for a single request. */
export const keyLimitsSchema = z.object({
  requests_per_minute: limit,
  tokens_per_minute: limit,
  usd_per_month: limit,
  max_usd_per_request: limit,
  allowed_models: z.array(z.string()).nullable().default(null),
  min_cost_weight: limit,
});
/** Limits to set, by name; what is left out stays, or is null. */
export type LimitChange = Readonly<z.input<typeof keyLimitsSchema>>;
