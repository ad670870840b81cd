import { z } from "zod";
import { closedObject } from "../../../../foundation/closed-object.js";
import { metadataPair } from "../../../traces/metadata-pair.js";
import type { TraceValues } from "../../../traces/store.js";
import type { KeyNames } from "./trace.js";

const names = z.array(z.string());

/** Query of `GET /admin/traces/values`. */
export const traceValuesQuerySchema = closedObject(
  {
    q: z
      .string({ error: "it must be one text" })
      .min(1, { error: "it must not be empty" })
      .optional()
      .describe(
        "Only `metadata` that contains it and `request_ids` that end in it, in any case, of the newest 10,000 that match.",
      ),
  },
  "it must be a query",
);

/** Answer of `GET /admin/traces/values`. */
export const traceValuesSchema = z.strictObject({
  object: z.literal("trace.values"),
  models: names,
  providers: names,
  sources: names,
  keys: z
    .array(z.strictObject({ id: z.string(), name: z.string().nullable() }))
    .describe("Who asked, as the filter `key` takes it; the name of an API key, null for others."),
  error_codes: names,
  efforts: names,
  metadata_keys: names,
  metadata: z
    .array(z.strictObject({ key: z.string(), value: z.string() }))
    .describe("Values of metadata, as text."),
  request_ids: names.describe("Those that end in `q`; none without it."),
  request_id: z.string(),
});

export type TraceValuesBody = z.infer<typeof traceValuesSchema>;

export const traceValuesBody = (
  values: TraceValues,
  keyNames: KeyNames,
): Omit<TraceValuesBody, "request_id"> => ({
  object: "trace.values",
  models: [...values.model],
  providers: [...values.provider],
  sources: [...values.source],
  keys: values.principal.map((id) => ({ id, name: keyNames(id) ?? null })),
  error_codes: [...values.error_code],
  efforts: [...values.effort],
  metadata_keys: [...values.metadata_key],
  metadata: values.metadata.map(metadataPair),
  request_ids: [...values.request_id],
});
