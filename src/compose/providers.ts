/** The adapters of the providers that are switched on. */
import { isDeepStrictEqual } from "node:util";
import type { ProviderEntry } from "../engine/catalog/deployments/provider-entries.js";
import { SettingsError } from "../foundation/errors.js";
import { systemClock } from "../foundation/timers.js";
import type { UpstreamLimits } from "../gateway/providers/http/upstream.js";
import { KeyPool } from "../gateway/providers/keys/key-pool.js";
import { KeyedProvider } from "../gateway/providers/keys/keyed-provider.js";
import { openProvider, type ProviderOptions } from "../gateway/providers/open-provider.js";
import type { Provider } from "../gateway/providers/provider.js";
import type { Settings } from "../gateway/settings.js";

/** Adapters by the id of the provider, and what they were opened with. */
export interface OpenedProviders {
  readonly entries: readonly ProviderEntry[];
  readonly providers: ReadonlyMap<string, Provider>;
}

/**
 * One adapter for each provider that is switched on, that of `before` where it would be the same. Nothing connects before the first
 * request.
 *
 * @throws SettingsError when a key or an address cannot be used
 */
export function openProviders(
  entries: readonly ProviderEntry[],
  settings: Pick<Settings, "upstreamMaxConnections" | "upstreamMaxReplyBytes">,
  before?: OpenedProviders,
): ReadonlyMap<string, Provider> {
  const limits = {
    maxConnections: settings.upstreamMaxConnections,
    maxReplyBytes: settings.upstreamMaxReplyBytes,
  };
  const enabled = entries.filter((entry) => entry.enabled);
  return new Map(
    enabled.map((entry) => {
      const known = before?.providers.get(entry.id);
      const knownBy = before?.entries.find(({ id }) => id === entry.id);
      const isSame = knownBy !== undefined && isDeepStrictEqual(connectionOf(knownBy), connectionOf(entry));
      return [entry.id, known !== undefined && isSame ? known : openEntry(entry, limits)];
    }),
  );
}

/** What an adapter is opened with, its keys included. */
const connectionOf = ({ id, type, baseUrl, apiKey, auth, like, apiVersion, keys }: ProviderEntry) => ({
  id,
  type,
  baseUrl,
  apiKey,
  auth,
  like,
  apiVersion,
  keys: keys?.map((key) => ({ ...key, apiKey: key.apiKey })),
});

function openEntry(entry: ProviderEntry, limits: UpstreamLimits): Provider {
  const { id, type, baseUrl, apiKey, auth, like, apiVersion, keys } = entry;
  const open = (own: Pick<ProviderOptions, "baseUrl" | "apiKey" | "auth" | "headers">): Provider =>
    opened({ id, type, like, apiVersion, limits, ...own });
  if (keys === undefined) return open({ baseUrl, apiKey, auth });
  const pooled = keys.map((key) => ({
    name: key.name,
    weight: key.weight,
    maxConcurrency: key.max_concurrency,
    requestsPerMinute: key.requests_per_minute,
    tokensPerMinute: key.tokens_per_minute,
    provider:
      key.apiKey === undefined && key.auth === undefined
        ? null
        : open({ baseUrl: key.baseUrl, apiKey: key.apiKey, auth: key.auth, headers: key.headers }),
  }));
  const times = { clock: systemClock, random: Math.random, now: Date.now };
  return new KeyedProvider(id, new KeyPool(pooled, times));
}

/** @throws SettingsError when the key or the address cannot be used */
function opened(options: ProviderOptions): Provider {
  try {
    return openProvider(options);
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault;
    throw new SettingsError(
      `the provider ${options.id} cannot be used: ${fault.message}. Correct its key or its address.`,
      { cause: fault },
    );
  }
}
