import { ProviderFault } from "../provider.js";

/** What of an upstream's error message its caller may read. */

const MOST_CHARACTERS = 2000;

/** Shapes that keys and tokens have: `sk-…`, `Bearer …`, Google's `AIza…`, JSON web tokens, long runs of hexadecimal digits. */
const SECRETS: readonly RegExp[] = [
  /\bBearer\s+[\w\-.~+/]{8,}=*/gi,
  /\b(?:sk|pk|rk|gsk|xai|key|hf|r8|tgp|fw|csk|nvapi|pplx)[-_][\w*-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]+)*/g,
  /\b[0-9a-f]{32,}\b/gi,
];

/** Addresses with a scheme, e-mail addresses, and IP addresses with or without a port. */
const ADDRESSES: readonly RegExp[] = [
  /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>)\]]*[^\s"'<>)\].,;:!?]/gi,
  /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
];

/** The message without what looks like a key or an address, cut to 2,000 characters; null when nothing is left. */
export function callerMessage(message: string): string | null {
  // Cut first: a message may quote megabytes of a prompt.
  const text = withoutSecrets(message.slice(0, 2 * MOST_CHARACTERS)).trim();
  if (text === "") return null;
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

/** The text without what looks like a key or an address, in time that is linear in its length. */
export function withoutSecrets(text: string): string {
  const keyless = SECRETS.reduce((kept, pattern) => kept.replace(pattern, "[key]"), text);
  return ADDRESSES.reduce((kept, pattern) => kept.replace(pattern, "[address]"), keyless);
}

/** Shorter keys are placeholders for servers that need none (`ollama`, `EMPTY`, `x`), and parts of ordinary words. */
const LEAST_SECRET_CHARACTERS = 8;
/** No ordinary word is as long, so that such a key is removed from within one, too: `key%3D…`. */
const LONG_SECRET_CHARACTERS = 20;

/**
 * The reason of a failed call; should its upstream have quoted the configured key as a word of its own, then without it, whatever its
 * shape.
 */
export function withoutSecret(reason: unknown, secret = ""): unknown {
  if (secret.length < LEAST_SECRET_CHARACTERS || !(reason instanceof ProviderFault)) return reason;
  const { upstreamMessage } = reason;
  if (upstreamMessage === null || !upstreamMessage.includes(secret)) return reason;
  const escaped = secret.replace(/[^A-Za-z0-9]/g, "\\$&");
  const isLong = secret.length >= LONG_SECRET_CHARACTERS;
  const word = new RegExp(isLong ? escaped : `(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, "g");
  return reason.with({ upstreamMessage: upstreamMessage.replace(word, "[key]") });
}
