import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { keyLimitsSchema } from "../../access/keys/key-limits.js";
import { refusedUseSchema } from "../../access/keys/refused-use.js";
import { SCOPES } from "../../access/principal.js";
import { capFields } from "../../access/request-caps.js";
import { isSourceName, SOURCE_RULE } from "../../access/source.js";

/** Most characters of a key's name. */
export const NAME_CHARACTERS = 128;

const badName = { error: `it must be a string of 1 to ${NAME_CHARACTERS} characters` };
const badSource = { error: `it must have ${SOURCE_RULE}` };
const badTeam = { error: `it must have ${SOURCE_RULE}, or be null` };
const badScope = { error: `it must be one of ${SCOPES.join(", ")}` };
const badCount = { error: "it must be a whole number of at least 1, or null" };
const badBudget = { error: "it must be a number above 0, or null" };
const badDate = { error: "it must be a date and time with zone, such as 2030-01-31T00:00:00Z" };

const count = z.int(badCount).min(1, badCount).nullish();

const limitsSchema = closedObject(
  {
    requests_per_minute: count,
    tokens_per_minute: count,
    usd_per_month: z.number(badBudget).positive(badBudget).nullish(),
    ...capFields,
  },
  "it must be an object of limits",
);

const badWeight = { error: "it must be a number from 0 to 1, or null" };
const costWeight = z.number(badWeight).min(0, badWeight).max(1, badWeight).nullish();

const expirySchema = z.iso.datetime({ offset: true, ...badDate }).nullish();

const team = z
  .string(badTeam)
  .refine(isSourceName, badTeam)
  .nullish()
  .describe("Team of all its requests, whatever their `metadata.team` says; null: as that says.");

/** Body of `POST /admin/keys`. */
export const newKeySchema = closedObject(
  {
    name: z.string(badName).min(1, badName).max(NAME_CHARACTERS, badName).describe("What the key is for."),
    source: z
      .string(badSource)
      .refine(isSourceName, badSource)
      .nullish()
      .describe("Source that traces of the key carry; without it a request may name one."),
    team,
    scopes: z
      .array(z.enum(SCOPES, badScope), { error: "it must be a list of scopes" })
      .min(1, { error: "it must name at least one scope" })
      .max(SCOPES.length, { error: `it must name at most ${SCOPES.length} scopes` })
      .refine((scopes) => new Set(scopes).size === scopes.length, { error: "it must name each scope once" })
      .describe(`What the key may do: ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`),
    limits: limitsSchema.nullish().describe("Its limits. The settings apply where one is null or left out."),
    cost_weight: costWeight.describe(
      "Cost weight of `auto` for requests of the key that name none, 0 to 1. Without it: by the settings.",
    ),
    expires_at: expirySchema.describe("When it stops working, ISO 8601 with zone. Without it: never."),
  },
  "it must be an object",
);

/** Body of `PATCH /admin/keys/{id}`. */
export const keyChangeSchema = closedObject(
  {
    name: z
      .string(badName)
      .min(1, badName)
      .max(NAME_CHARACTERS, badName)
      .optional()
      .describe("What the key is for."),
    team,
    limits: limitsSchema
      .optional()
      .describe("Limits to change: null is limited by the settings, what is left out stays as it is."),
    cost_weight: costWeight.describe("Cost weight of `auto`, 0 to 1; null: by the settings."),
    expires_at: expirySchema.describe("When it stops working, ISO 8601 with zone; null: never."),
    previous: z
      .null({ error: "it must be null: the secret before the last rotation ends at once" })
      .optional()
      .describe("Null: the secret before the last rotation ends at once."),
  },
  "it must be an object",
);

/** Longest time that a replaced key may go on working. */
export const MOST_GRACE_SECONDS = 30 * 86_400;
const badGrace = { error: `it must be a whole number of seconds from 0 to ${MOST_GRACE_SECONDS}` };

/** Body of `POST /admin/keys/{id}/rotate`. */
export const keyRotationSchema = closedObject(
  {
    grace_seconds: z
      .int(badGrace)
      .min(0, badGrace)
      .max(MOST_GRACE_SECONDS, badGrace)
      .describe("How long the old key still works beside the new one; 0 ends it at once."),
  },
  "it must be an object",
);

/** Parameters of `GET /admin/keys`. */
export const keyListQuerySchema = closedObject(
  {
    errors_since: z.iso
      .datetime({ offset: true, ...badDate })
      .optional()
      .describe(
        "With it each key has its `last_error` since then: ISO 8601 with zone. Asks the traces, as a search does.",
      ),
  },
  "it must be a query",
);

const isoDate = z.string().describe("ISO 8601, UTC.");

const keyMetadataSchema = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("First 12 characters of the key."),
  source: z.string().nullable(),
  team: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
  limits: keyLimitsSchema,
  cost_weight: z.number().nullable().describe("Cost weight of `auto`; null: by the settings."),
  created_at: isoDate,
  expires_at: isoDate.nullable(),
  revoked_at: isoDate.nullable(),
  last_used_at: isoDate.nullable().describe("To the minute."),
  previous: z
    .object({
      prefix: z.string(),
      expires_at: isoDate,
      refused: refusedUseSchema
        .nullable()
        .describe("Requests that came with it afterwards, counted within a minute; null without any."),
    })
    .nullable()
    .describe("The key that the last rotation replaced, and when it stops working, or did."),
});

/** Answer of `PATCH` and `DELETE /admin/keys/{id}`. */
export const keySchema = keyMetadataSchema.extend({ request_id: z.string() });

/** Answer of `POST /admin/keys` and `POST /admin/keys/{id}/rotate`: the only ones that ever hold a key. */
export const createdKeySchema = z.object({
  key: z.string().describe("The key itself. It is shown only once."),
  ...keyMetadataSchema.shape,
  request_id: z.string(),
});

const limitUse = z
  .object({ used: z.number().min(0), limit: z.number() })
  .nullable()
  .describe("Null without such a limit: nothing is counted then.");

const listedKeySchema = keyMetadataSchema.extend({
  use: z
    .object({
      requests_per_minute: limitUse,
      tokens_per_minute: limitUse,
      usd_per_month: limitUse,
    })
    .describe("Use of the limits that apply, its own or a default, in the running minute and month (UTC)."),
  last_error: z
    .strictObject({
      code: z.string().nullable().describe("Code of the error; null where none is recorded."),
      request_id: z.string(),
      created_at: isoDate.describe("Arrival of the request."),
    })
    .nullish()
    .describe(
      "Last failed request since `errors_since`, null when none failed; left out without the parameter and while traces cannot be searched.",
    ),
});

/** Answer of `GET /admin/keys`. */
export const keyListSchema = z.object({
  object: z.literal("list"),
  data: z.array(listedKeySchema),
  request_id: z.string(),
});

export type KeyChangeBody = z.infer<typeof keyChangeSchema>;
export type NewKeyBody = z.infer<typeof newKeySchema>;
export type KeyBody = z.infer<typeof keyMetadataSchema>;
export type ListedKeyBody = z.infer<typeof listedKeySchema>;
export type CreatedKeyBody = z.infer<typeof createdKeySchema>;
