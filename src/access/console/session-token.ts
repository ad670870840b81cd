import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** A token of ours has about 200 characters. */
const MAX_TOKEN_CHARACTERS = 1024;

const claimsSchema = z.object({
  /** The session. */
  id: z.string().min(1),
  /** Id of the key that it was begun with. */
  key: z.string().min(1),
  /** Milliseconds since the epoch. */
  begun_ms: z.int(),
  /** When the token was made: at the beginning, or at the last activity. */
  seen_ms: z.int(),
});

export type SessionClaims = Readonly<z.infer<typeof claimsSchema>>;

/**
 * Signs what belongs to the sessions of one key. The signing key is made of the secret of the data folder and of the key's
 * digest, so that neither file alone is enough to make a session, and another key under the same id has none of them.
 */
export function signingKeyOf(secret: Buffer, keyDigest: Buffer): Buffer {
  return createHmac("sha256", secret).update(keyDigest).digest();
}

/** `<claims>.<signature>`, both in base64url. It holds no secret: without the signing key it cannot be made. */
export function writeToken(claims: SessionClaims, signingKey: Buffer): string {
  const text = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${text}.${signatureOf("session", text, signingKey)}`;
}

/** A token as it came, not yet believed. */
export interface ReadToken {
  readonly claims: SessionClaims;
  /** In constant time. */
  isSignedBy(signingKey: Buffer): boolean;
}

/** Undefined when it has not the form of a token. */
export function readToken(token: string): ReadToken | undefined {
  const [text, signature, ...more] = token.length > MAX_TOKEN_CHARACTERS ? [] : token.split(".");
  if (text === undefined || signature === undefined || more.length > 0) return undefined;
  const claims = claimsIn(text);
  if (claims === undefined) return undefined;
  return {
    claims,
    isSignedBy: (signingKey) => isEqual(signature, signatureOf("session", text, signingKey)),
  };
}

/**
 * What a page of the session knows and another site does not: it comes in the answer that begins the session and has to come
 * back, in a header, with every request that the session is to count for.
 */
export const proofOf = ({ id }: SessionClaims, signingKey: Buffer): string =>
  signatureOf("proof", id, signingKey);

/** Whether two texts are the same, in a time that depends on their lengths alone. */
export function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function claimsIn(text: string): SessionClaims | undefined {
  try {
    return claimsSchema.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch {
    return undefined;
  }
}

const signatureOf = (purpose: "session" | "proof", text: string, signingKey: Buffer): string =>
  createHmac("sha256", signingKey).update(`${purpose}\n${text}`).digest("base64url");
