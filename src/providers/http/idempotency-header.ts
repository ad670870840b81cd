import type { ProviderCall } from "../provider.js";

/** The header of a call that may be a repeated one; none for other calls. */
export function idempotencyHeader({
  idempotencyKey,
}: Pick<ProviderCall, "idempotencyKey">): Readonly<Record<string, string>> {
  return idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
}
