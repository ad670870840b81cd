import { readFile } from "node:fs/promises";
import { StorageError } from "../../../foundation/errors.js";
import type { Log } from "../../../foundation/log.js";
import { replyText } from "../../../foundation/reply-text.js";
import type { PrincipalLimits, Scope } from "../principal.js";
import type { JwtCheck, PublicKeySource } from "./jwt.js";

const MAX_KEY_SET_BYTES = 1_048_576;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Guesses that favour availability: identity providers announce a new key hours before they use it, and a token with an
 * unknown key id triggers a reload at once, without waiting for these ten minutes.
 */
const ADDRESS_TIMES = {
  freshMs: 10 * MINUTE_MS,
  usableMs: 24 * HOUR_MS,
  cooldownMs: 30 * SECOND_MS,
  retryMs: 5 * SECOND_MS,
  timeoutMs: 3 * SECOND_MS,
};

const FILE_TIMES = {
  freshMs: SECOND_MS,
  usableMs: 24 * HOUR_MS,
  cooldownMs: SECOND_MS,
  retryMs: SECOND_MS,
  timeoutMs: 3 * SECOND_MS,
};

/** Clocks that follow NTP differ by less than a second; a minute or more would accept tokens that have expired. */
const CLOCK_TOLERANCE_S = 5;

export interface TokenSettings {
  readonly jwtSecret?: string | undefined;
  readonly jwtJwks?: string | undefined;
  readonly jwtIssuer?: string | undefined;
  readonly jwtAudience?: string | undefined;
  readonly jwtDefaultScope?: readonly Scope[] | undefined;
}

export interface TokenSources {
  /** Limits of every subject. */
  readonly limits: PrincipalLimits;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic time in milliseconds. */
  readonly monotonicNow: () => number;
  readonly fetch: typeof fetch;
  readonly log: Log;
}

/**
 * Opens the token check; undefined when the settings accept no tokens.
 *
 * A file of public keys must be readable now. An address may be unreachable: it is requested in the background, and
 * until it answers, tokens are refused with `authentication_unavailable` while API keys work.
 *
 * @throws StorageError when the file cannot be read or holds no keys
 */
export async function openTokens(
  settings: TokenSettings,
  sources: TokenSources,
): Promise<JwtCheck | undefined> {
  const { jwtSecret, jwtJwks, jwtIssuer, jwtAudience } = settings;
  if (jwtSecret === undefined && jwtJwks === undefined) return undefined;
  // Loaded only when tokens are accepted: a start without them need not wait for it.
  const { JwtCheck } = await import("./jwt.js");
  const isAddress = jwtJwks !== undefined && /^https?:\/\//i.test(jwtJwks);
  const check = new JwtCheck({
    ...sources,
    secret: jwtSecret,
    publicKeys: jwtJwks === undefined ? undefined : isAddress ? at(jwtJwks, sources.fetch) : inFile(jwtJwks),
    issuer: jwtIssuer,
    audience: jwtAudience,
    clockToleranceS: CLOCK_TOLERANCE_S,
    defaultScopes: settings.jwtDefaultScope ?? [],
  });
  const prepared = check.prepare();
  if (!isAddress && !(await prepared)) {
    throw new StorageError(
      `${jwtJwks} is not a readable JSON Web Key Set ({"keys": [...]}). Correct SEXTANT_JWT_JWKS or the file.`,
    );
  }
  return check;
}

const inFile = (path: string): PublicKeySource => ({
  load: (signal) => readFile(path, { encoding: "utf8", signal }),
  times: FILE_TIMES,
});

const at = (address: string, fetch: TokenSources["fetch"]): PublicKeySource => ({
  // A redirect could lead from https to http, or to an address that the operator did not choose.
  load: async (signal) => wholeText(await fetch(address, { signal, redirect: "error" })),
  times: ADDRESS_TIMES,
});

class KeySetAddressError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

async function wholeText(response: Response): Promise<string> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new KeySetAddressError(`HTTP_${response.status}`);
  }
  const text = await replyText(response, MAX_KEY_SET_BYTES);
  if (text === null) throw new KeySetAddressError("KEY_SET_TOO_LONG");
  return text;
}
