import { z } from "zod";

/**
 * What OTLP/HTTP takes as JSON: opentelemetry-proto's trace.proto, common.proto and resource.proto, with the JSON mapping of
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: lowerCamelCase names, ids in hex, enums as numbers, 64-bit numbers as
 * decimal text (a number is read, too). Read on 2026-11-26. Unknown members are refused here, though receivers ignore them.
 */
const traceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/i);
const spanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/i);
const uint32 = z.int().min(0).max(0xffff_ffff);
const int64 = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
const nanoseconds = z.string().regex(/^\d{1,20}$/);

const anyValue: z.ZodType = z.lazy(() =>
  z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ boolValue: z.boolean() }),
    z.strictObject({ intValue: int64 }),
    z.strictObject({ doubleValue: z.number() }),
    z.strictObject({ bytesValue: z.string() }),
    z.strictObject({ arrayValue: z.strictObject({ values: z.array(anyValue) }) }),
    z.strictObject({ kvlistValue: z.strictObject({ values: z.array(keyValue) }) }),
  ]),
);
const keyValue = z.strictObject({ key: z.string().min(1), value: anyValue });
const attributes = z
  .array(keyValue)
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, "two attributes of one name");
const counted = { attributes, droppedAttributesCount: uint32.optional() };

const span = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId.optional(),
    traceState: z.string().optional(),
    flags: uint32.optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    ...counted,
    events: z
      .array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string().min(1), ...counted }))
      .optional(),
    droppedEventsCount: uint32.optional(),
    links: z
      .array(
        z.strictObject({
          traceId,
          spanId,
          traceState: z.string().optional(),
          flags: uint32.optional(),
          ...counted,
        }),
      )
      .optional(),
    droppedLinksCount: uint32.optional(),
    status: z
      .strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() })
      .optional(),
  })
  .refine(
    ({ startTimeUnixNano: start, endTimeUnixNano: end }) => BigInt(end) >= BigInt(start),
    "ends too early",
  );

/** `ExportTraceServiceRequest`. */
export const otlpExportSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ ...counted }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          spans: z.array(span),
          schemaUrl: z.string().optional(),
        }),
      ),
      schemaUrl: z.string().optional(),
    }),
  ),
});
