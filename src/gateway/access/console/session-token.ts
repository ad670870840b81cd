import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** Valid tokens have about 200 characters. */
const MAX_TOKEN_CHARACTERS = 1024;

const claimsSchema = z.object({
  /** Id of the session. */
  id: z.string().min(1),
  /** Id of the key that the session was started with. */
  key: z.string().min(1),
  /** Milliseconds since the epoch. */
  begun_ms: z.int(),
  /** When the token was issued: at the start, or at the last activity. */
  seen_ms: z.int(),
});

export type SessionClaims = Readonly<z.infer<typeof claimsSchema>>;

/**
 * Derives the signing key for the sessions of one key from the data folder's secret and the key's digest, so that
 * neither file alone suffices to forge a session, and another key under the same id has no sessions.
 */
export function signingKeyOf(secret: Buffer, keyDigest: Buffer): Buffer {
  return createHmac("sha256", secret).update(keyDigest).digest();
}

/** `<claims>.<signature>`, both in base64url. Contains no secret, and cannot be forged without the signing key. */
export function writeToken(claims: SessionClaims, signingKey: Buffer): string {
  const text = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${text}.${signatureOf("session", text, signingKey)}`;
}

/** A parsed token whose signature is not verified yet. */
export interface ReadToken {
  readonly claims: SessionClaims;
  /** Compares in constant time. */
  isSignedBy(signingKey: Buffer): boolean;
}

/** Undefined when the text does not have the form of a token. */
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
 * A value known to the page of the session and not to other sites: it is returned when the session starts and required
 * in a header of every request that uses the session (protection against cross-site request forgery).
 */
export const proofOf = ({ id }: SessionClaims, signingKey: Buffer): string =>
  signatureOf("proof", id, signingKey);

/** Compares two texts in a time that depends only on their lengths. */
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
