/** Running requests: the providers' adapters, the token counter, and what plans and accounts for attempts. */
import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import type { Catalog } from "../engine/catalog/catalog.js";
import type { ProviderEntry } from "../engine/catalog/deployments/provider-entries.js";
import type { SavedLengths } from "../engine/lengths/saved-lengths.js";
import type { OpenedRouter } from "../engine/open-router.js";
import type { Router } from "../engine/router/router.js";
import { SettingsError } from "../foundation/errors.js";
import { systemClock, systemTimers, waitingTimers, within } from "../foundation/timers.js";
import type { Limiter } from "../gateway/access/limits/limits.js";
import type { ConversationMemory } from "../gateway/conversations/conversation-memory.js";
import { loadUpstreams, type UpstreamLimits } from "../gateway/providers/http/upstream.js";
import { KeyPool } from "../gateway/providers/keys/key-pool.js";
import { KeyedProvider } from "../gateway/providers/keys/keyed-provider.js";
import { openProvider, type ProviderOptions } from "../gateway/providers/open-provider.js";
import type { Provider } from "../gateway/providers/provider.js";
import { connectionTests, type TestConnection } from "../gateway/run/connection-test.js";
import type { AnswerObserver, InferenceDependencies } from "../gateway/run/dependencies.js";
import type { Inference, StoppableInference } from "../gateway/run/inference.js";
import type { PausesInForce } from "../gateway/run/pause.js";
import { createInference } from "../gateway/run/run.js";
import { baselineOf } from "../gateway/run/savings.js";
import type { Settings } from "../gateway/settings.js";
import { WorkerCounter } from "../gateway/token-counting/worker-counter.js";
import type { TraceSink } from "../gateway/traces/trace.js";
import { type ComparisonSettings, checkComparisons } from "./comparisons.js";

export interface ComposedInference {
  readonly inference: Pick<StoppableInference, "circuits"> & Inference;
  readonly testConnection: TestConnection;
  /**
   * Opens what changed settings need.
   *
   * @throws SettingsError when fallbacks or a provider's address or key cannot be used
   */
  prepare(settings: Settings, sources: Pick<InferenceSources, "entries" | "catalog">): PreparedProviders;
  /** Loads now what the first attempt would otherwise wait for. */
  warmUp(): void;
  /** No request is running any more. What clients left behind is counted within the grace. */
  close(graceMs: number): Promise<void>;
}

/** Providers that may take the place of those in use: end it with one of the two. */
interface PreparedProviders {
  /** Requests that are accepted from now on use them. Those that are replaced are closed once no request uses them. */
  use(): void;
  discard(): void;
}

interface InferenceSources extends Pick<OpenedRouter, "embedder"> {
  readonly router: Pick<Router, "route">;
  readonly entries: readonly ProviderEntry[];
  readonly catalog: Catalog;
  readonly limiter: Limiter;
  readonly pauses: PausesInForce;
  readonly traces: TraceSink;
  readonly lengths: SavedLengths | undefined;
  readonly observer?: AnswerObserver | undefined;
  readonly conversations: ConversationMemory;
  readonly responses: InferenceDependencies["responses"];
  readonly circuitProbes?: number | undefined;
  readonly logger?: Logger;
}

/** Operators wait for it before the page; a reasoning model answers one word in a few seconds. */
const CONNECTION_TEST_TIMEOUT_MS = 15_000;

/** @throws SettingsError when fallbacks or a provider's key cannot be used */
export function composeInference(
  settings: Settings,
  { entries, ...sources }: InferenceSources,
): ComposedInference {
  checkModels(settings, sources.catalog);
  let inUse = openProviders(entries, settings);
  /** As requests have them that are accepted now. */
  const providers = new Map(adapters(inUse));
  const counter = new WorkerCounter({ timers: systemTimers });
  const inference = createInference({
    ...sources,
    providers: new Map(providers),
    counter,
    clock: systemClock,
    random: Math.random,
    timers: systemTimers,
    settings,
  });
  return {
    inference,
    testConnection: connectionTests({
      providers,
      catalog: sources.catalog,
      timers: systemTimers,
      clock: systemClock,
      timeoutMs: CONNECTION_TEST_TIMEOUT_MS,
    }),
    prepare(changed, { entries: others, catalog }) {
      checkModels(changed, catalog);
      const next = openProviders(others, settings, inUse);
      const closeAll = (those: OpenedProviders, unless: OpenedProviders) => {
        for (const [id, { provider }] of those)
          if (unless.get(id)?.provider !== provider) void provider.close();
      };
      return {
        use() {
          const before = inUse;
          inUse = next;
          providers.clear();
          for (const [id, provider] of adapters(next)) providers.set(id, provider);
          const { fallbacks, presets, baselineModel } = changed;
          const ids = [...before.keys()].filter((id) => next.get(id)?.provider !== before.get(id)?.provider);
          const replaced = { catalog, fallbacks, presets, baselineModel, providers: new Map(providers) };
          void inference.replace({ ...replaced, changed: ids }).then(() => closeAll(before, next));
        },
        discard: () => closeAll(next, inUse),
      };
    },
    warmUp() {
      // A request that is faster loads it itself, and gets the error if there is one.
      if (providers.size > 0) loadUpstreams().catch(() => {});
    },
    async close(graceMs) {
      await Promise.all([...providers.values()].map((provider) => provider.close()));
      // What is not counted by then is recorded without.
      await within(graceMs, inference.settled(), waitingTimers);
      await counter.close(0);
      await within(graceMs, inference.settled(), waitingTimers);
    },
  };
}

/** @throws SettingsError when a name is none of a model or deployment, and for a baseline without a price */
export function checkModels(
  settings: ComparisonSettings & Pick<Settings, "fallbacks" | "baselineModel">,
  catalog: Parameters<typeof baselineOf>[1],
): void {
  const { fallbacks, baselineModel } = settings;
  checkComparisons(settings, catalog);
  if (baselineModel !== undefined && baselineOf(baselineModel, catalog) === undefined)
    throw new SettingsError(
      `\`baseline_model\` is ${JSON.stringify(baselineModel)}, for which no price is known. ` +
        "Name a model with a price of GET /v1/models, or give its price in `prices`.",
    );
  for (const [model, others] of Object.entries(fallbacks)) {
    const unknown = [model, ...others].find((name) => catalog.deployments(name).length === 0);
    if (unknown === undefined) continue;
    throw new SettingsError(
      `\`fallbacks\` has ${JSON.stringify(unknown)} for ${JSON.stringify(model)}, which no provider and no deployment serves. ` +
        "Name a model of GET /v1/models, or give the provider that serves it in `providers`.",
    );
  }
}

/** Adapters by the id of the provider, each with what it was opened with. */
type OpenedProviders = ReadonlyMap<
  string,
  { readonly options: ReturnType<typeof connectionOf>; readonly provider: Provider }
>;

const adapters = (opened: OpenedProviders): ReadonlyMap<string, Provider> =>
  new Map([...opened].map(([id, { provider }]) => [id, provider]));

/**
 * One adapter for each provider that is switched on, that of `before` where it would be the same. Nothing connects before the first
 * request.
 */
function openProviders(
  entries: readonly ProviderEntry[],
  settings: Settings,
  before: OpenedProviders = new Map(),
): OpenedProviders {
  const limits = {
    maxConnections: settings.upstreamMaxConnections,
    maxReplyBytes: settings.upstreamMaxReplyBytes,
  };
  const enabled = entries.filter((entry) => entry.enabled);
  return new Map(
    enabled.map((entry) => {
      const options = connectionOf(entry);
      const known = before.get(entry.id);
      const isSame = known !== undefined && isDeepStrictEqual(known.options, options);
      return [entry.id, isSame ? known : { options, provider: openEntry(entry, limits) }];
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
