import type { ProviderCall } from "../provider.js";

type Headers = Readonly<Record<string, string>> | undefined;

/** The headers of a call, with the key of one that may be a repeated call. The same object for other calls. */
export function withIdempotencyKey(
  headers: Headers,
  { idempotencyKey }: Pick<ProviderCall, "idempotencyKey">,
): Headers {
  return idempotencyKey === undefined ? headers : { ...headers, "idempotency-key": idempotencyKey };
}
