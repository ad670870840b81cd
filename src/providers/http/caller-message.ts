import { ProviderFault } from "../provider.js";

/** What of an upstream's error message its caller may read. */

const MOST_CHARACTERS = 2000;

/** Shapes that keys and tokens have: `sk-…`, `Bearer …`, Google's `AIza…`, JSON web tokens, long runs of hexadecimal digits. */
const SECRETS: readonly RegExp[] = [
  /\bBearer\s+[\w\-.~+/]{8,}=*/gi,
  /\b(?:sk|pk|rk|gsk|xai|key|hf|r8|tgp|fw|csk|nvapi|pplx)[-_][\w*-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b[0-9a-f]{32,}\b/gi,
];

/** Addresses with a scheme, e-mail addresses, and IP addresses with or without a port. */
const ADDRESSES: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]*[^\s"'<>)\].,;:!?]/gi,
  /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
];

/** The message without what looks like a key or an address, cut to 2,000 characters; null when nothing is left. */
export function callerMessage(message: string): string | null {
  // Cut first: a message may quote megabytes of a prompt.
  let text = message.slice(0, 2 * MOST_CHARACTERS);
  for (const pattern of SECRETS) text = text.replace(pattern, "[key]");
  for (const pattern of ADDRESSES) text = text.replace(pattern, "[address]");
  text = text.trim();
  if (text === "") return null;
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

/** The reason of a failed call; should its upstream have quoted the configured key, then without it, whatever its shape. */
export function withoutSecret(reason: unknown, secret: string | undefined): unknown {
  if (secret === undefined || secret === "" || !(reason instanceof ProviderFault)) return reason;
  const { upstreamMessage } = reason;
  if (upstreamMessage === null || !upstreamMessage.includes(secret)) return reason;
  return reason.with({ upstreamMessage: upstreamMessage.replaceAll(secret, "[key]") });
}
