import { hash } from "node:crypto";
import { z } from "zod";
import { SCOPES } from "../principal.js";
import { keyLimitsSchema } from "./key-limits.js";
import { refusedUseSchema } from "./refused-use.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** How every API key starts. */
export const KEY_START = "pk_live_";
const RANDOM_CHARACTERS = 40;
const PREFIX_CHARACTERS = 12;

/** Fills and returns that many unpredictable bytes. */
export type RandomBytes = (count: number) => Uint8Array;

const isoDate = z.iso.datetime({ offset: true });
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A key as it is stored: everything but the key itself. */
export const apiKeyRecordSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** First 12 characters of the key, by which people recognise a key. */
  prefix: z.string(),
  source: z.string().nullable(),
  /** Team that its requests belong to; null: as their metadata say. */
  team: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
  limits: keyLimitsSchema,
  /** Of `auto` where a request names none; null: by the settings. */
  cost_weight: z.number().min(0).max(1).nullable(),
  created_at: isoDate,
  expires_at: isoDate.nullable(),
  revoked_at: isoDate.nullable(),
  /** To the minute; null when never used. */
  last_used_at: isoDate.nullable(),
  /** SHA-256 of the key, hexadecimal. */
  digest: sha256,
  /** The secret that the last rotation replaced; null when there was none. */
  previous: z
    .object({
      prefix: z.string(),
      digest: sha256,
      expires_at: isoDate,
      refused: refusedUseSchema.nullable(),
    })
    .nullable(),
});

export type ApiKeyRecord = Readonly<z.infer<typeof apiKeyRecordSchema>>;

/** The metadata that may be shown: a record without its digests. */
export type ApiKeyMetadata = Omit<ApiKeyRecord, "digest" | "previous"> & {
  readonly previous: Omit<NonNullable<ApiKeyRecord["previous"]>, "digest"> | null;
};

/** `pk_live_` and 40 characters of [0-9A-Za-z], every one equally likely: 238 bits. */
export function generateApiKey(randomBytes: RandomBytes): string {
  let characters = "";
  while (characters.length < RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS)) {
      // 248 = 4 × 62: larger bytes would make the first letters likelier.
      if (byte < 248 && characters.length < RANDOM_CHARACTERS) characters += ALPHABET[byte % 62];
    }
  }
  return KEY_START + characters;
}

/** SHA-256, hexadecimal. The keys are random and long, so that a slow hash would protect nothing. */
export const digestOf = (key: string): string => hash("sha256", key, "hex");

export const prefixOf = (key: string): string => key.slice(0, PREFIX_CHARACTERS);

export function metadataOf({ digest: _digest, previous, ...metadata }: ApiKeyRecord): ApiKeyMetadata {
  if (previous === null) return { ...metadata, previous };
  const { digest: _previousDigest, ...shown } = previous;
  return { ...metadata, previous: shown };
}
