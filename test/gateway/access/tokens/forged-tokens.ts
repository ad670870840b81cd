/** Tokens made by hand, so that any header can be given and nothing checks them before the code under test does. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export const SECRET = "a-secret-of-more-than-thirty-two-characters";
export const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const NOW_S = Math.floor(NOW_MS / 1000);

type Json = Readonly<Record<string, unknown>>;

const part = (value: Json | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function signed(header: Json, payload: Json, { sign }: Pick<KeyParts, "sign">): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${sign(Buffer.from(input)).toString("base64url")}`;
}

/** Claims of a token that is in order. */
export const claims = (changes: Json = {}): Json => ({
  sub: "ada",
  scope: "inference",
  exp: NOW_S + 600,
  ...changes,
});

export function hs256(
  payload: Json,
  { secret = SECRET, header = {} }: { secret?: string | Buffer; header?: Json } = {},
) {
  const sign = (input: Buffer) => createHmac("sha256", secret).update(input).digest();
  return signed({ alg: "HS256", typ: "JWT", ...header }, payload, { sign });
}

/** Tokens of other algorithms, in order in every other way and signed with the right keys; and the set with those keys. */
export function relatives(payload: Json): {
  readonly keySet: string;
  readonly tokens: ReadonlyMap<string, string>;
} {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const pss = { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const p384 = { key: ec.privateKey, dsaEncoding: "ieee-p1363" } as const;
  const signers: Readonly<Record<string, (input: Buffer) => Buffer>> = {
    HS384: (input) => createHmac("sha384", SECRET).update(input).digest(),
    HS512: (input) => createHmac("sha512", SECRET).update(input).digest(),
    RS384: (input) => sign("sha384", input, rsa.privateKey),
    RS512: (input) => sign("sha512", input, rsa.privateKey),
    PS256: (input) => sign("sha256", input, pss),
    ES384: (input) => sign("sha384", input, p384),
    RS256: (input) => sign("sha256", input, rsa.privateKey),
  };
  const tokens = Object.entries(signers).map(
    ([alg, sign]) => [alg, signed({ alg }, payload, { sign })] as const,
  );
  const jwks = [rsa, ec].map(({ publicKey }) => publicKey.export({ format: "jwk" }));
  return { keySet: JSON.stringify({ keys: jwks }), tokens: new Map(tokens) };
}

/** A token that says what it likes, with a signature of anything. */
export const unsigned = (header: Json, payload: Json, signature = ""): string =>
  `${part(header)}.${part(payload)}.${signature}`;

export interface SigningKey {
  readonly jwk: Json;
  readonly publicPem: string;
  token(payload: Json, header?: Json): string;
}

export function rsaKey(kid: string, modulusLength = 2048): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength });
  return signingKey({ kid, alg: "RS256", publicKey, sign: (input) => sign("sha256", input, privateKey) });
}

export function ecKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return signingKey({ kid, alg: "ES256", publicKey, sign: (input) => sign("sha256", input, key) });
}

interface KeyParts {
  readonly kid: string;
  readonly alg: string;
  readonly publicKey: KeyObject;
  readonly sign: (input: Buffer) => Buffer;
}

const signingKey = ({ kid, alg, publicKey, sign }: KeyParts): SigningKey => ({
  jwk: { ...publicKey.export({ format: "jwk" }), kid, alg, use: "sig" },
  publicPem: publicKey.export({ format: "pem", type: "spki" }).toString(),
  token: (payload, header = {}) => signed({ alg, typ: "JWT", kid, ...header }, payload, { sign }),
});

export const keySet = (...keys: readonly SigningKey[]): string =>
  JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
