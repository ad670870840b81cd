import type { Cloud } from "../../../engine/catalog/providers/cloud.js";
import type { Authorizer } from "../http/authorizer.js";
import { type Credential, CredentialCache } from "./credential-cache.js";

interface BearerOptions {
  readonly cloud: Cloud;
  readonly load: () => Promise<Credential<string>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Sends a token that is the same for all requests. */
export function bearerAuthorizer({ cloud, load, now }: BearerOptions): Authorizer {
  const cache = new CredentialCache(load, now);
  return {
    cloud,
    authorize: async () => ({ authorization: `Bearer ${await cache.get()}` }),
    forget: () => cache.forget(),
  };
}
