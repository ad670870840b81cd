/** Builds the parts from settings and joins them. The only file that knows every part, and the order of start and stop. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { anonymousAuthenticator, createAuthenticator } from "./access/authenticator.js";
import { KeyFile } from "./access/key-file.js";
import { type CreatedKey, KeyRing } from "./access/key-ring.js";
import { type PrincipalLimits, SCOPES } from "./access/principal.js";
import { createCatalog } from "./catalog/catalog.js";
import { openEmbedder } from "./embedding/open-embedder.js";
import { SextantError } from "./errors.js";
import type { Inference } from "./inference/inference.js";
import { loadProfileSets } from "./profiles/load.js";
import type { RouteRequest } from "./router/decision.js";
import { createRouter, type Router } from "./router/router.js";
import { routingBody } from "./router/routing-body.js";
import { createApp } from "./server/app.js";
import { createMetrics } from "./server/metrics.js";
import { createUlidGenerator } from "./server/request-id.js";
import { startTimer } from "./server/timer.js";
import { PACKAGE_ROOT, type Settings, SHIPPED_EMBEDDER } from "./settings.js";

/** How often a server looks whether another process revoked a key. */
const KEY_REFRESH_MS = 500;
const LAST_USED_SAVE_MS = 60_000;

/** Version of the package, from its package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  const { version } = manifest as { version?: unknown };
  return typeof version === "string" ? version : "unknown";
}

export interface OpenedRouter {
  readonly router: Router;
  readonly embedderId: string;
  /** What a person should know, such as a graph that had to be rebuilt. */
  readonly notes: readonly string[];
}

type RouterSettings = Pick<
  Settings,
  "embedder" | "profiles" | "providers" | "deployments" | "prices" | "dataDir"
>;

/**
 * Loads the embedder and the profile sets and makes a router of them. Prices are those of now.
 *
 * @throws ProfileSetError and the errors of `openEmbedder`, which name the file and the remedy
 */
export async function openRouterFromSettings(settings: RouterSettings): Promise<OpenedRouter> {
  const catalog = createCatalog(settings, { at: new Date() });
  const embedder = await openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
  });
  try {
    const loaded = await Promise.all(
      settings.profiles.map((folder) =>
        loadProfileSets(folder, {
          embedder,
          hasPrice: (model) => catalog.lookup(model).price !== null,
          scratchDir: tmpdir(),
        }),
      ),
    );
    const sets = loaded.flat();
    const router = createRouter({
      embedder,
      sets: sets.map(({ set }) => set),
      lookup: catalog.lookup,
      clock: () => performance.now(),
    });
    return { router, embedderId: embedder.id, notes: sets.flatMap(({ notes }) => notes) };
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

export type OpenRouter = (settings: RouterSettings) => Promise<OpenedRouter>;

type LimitSettings = Pick<Settings, "requestsPerMinute" | "tokensPerMinute" | "usdPerMonth">;

const defaultLimitsOf = (settings: LimitSettings): PrincipalLimits => ({
  requestsPerMinute: settings.requestsPerMinute ?? null,
  tokensPerMinute: settings.tokensPerMinute ?? null,
  usdPerMonth: settings.usdPerMonth ?? null,
});

/** The keys of a data folder. @throws AccessFileError */
export function openKeyRing(
  settings: Pick<Settings, "dataDir" | "bootstrapApiKey"> & LimitSettings,
): Promise<KeyRing> {
  return KeyRing.open(new KeyFile(settings.dataDir), {
    bootstrapApiKey: settings.bootstrapApiKey,
    defaultLimits: defaultLimitsOf(settings),
    now: Date.now,
    randomBytes,
    newId: createUlidGenerator({ now: Date.now, randomBytes }),
  });
}

export interface ComposedServer {
  /** The key made because there was none: show it, it cannot be shown again. */
  readonly firstKey: CreatedKey | undefined;
  readonly notes: readonly string[];
  /** Listens. @returns the address, `http://127.0.0.1:8080` @throws what the system says, such as EADDRINUSE */
  start(): Promise<string>;
  /** Stops accepting, lets requests in flight finish within the grace, saves, closes. */
  stop(): Promise<void>;
}

export interface ServerSources {
  readonly logger: Logger;
  readonly openRouter: OpenRouter;
}

/** Everything `sextant serve` runs, not yet listening. */
export async function composeServer(
  settings: Settings,
  { logger, openRouter }: ServerSources,
): Promise<ComposedServer> {
  const { router, embedderId, notes } = await openRouter(settings);
  const keys = await openKeyRing(settings);
  const needsKeys = settings.auth === "on";
  const firstKey = needsKeys ? await keys.createFirst({ name: "first key", scopes: SCOPES }) : undefined;
  const metrics = createMetrics({ isKnownModel: () => false });
  metrics.watchProcess();
  const app = createApp({
    // TEMPORARY until the parts of inference are joined here.
    inference: decisionsOnly(router),
    catalog: { offers: () => [], providers: () => [], runnableModels: () => [] },
    reloadProfiles: () =>
      Promise.reject(new SextantError("profiles_rejected", "Restart the server instead.")),
    router,
    keys,
    metrics,
    clock: () => performance.now(),
    startTimer,
    authenticator: needsKeys
      ? createAuthenticator({ keys })
      : anonymousAuthenticator(defaultLimitsOf(settings)),
    limits: settings,
    logger,
    now: Date.now,
    randomBytes,
    readiness: () => readinessOf(router, embedderId),
    version: packageVersion(),
  });
  const timers = followKeys(keys, logger);
  return {
    firstKey,
    notes,
    start: () => app.listen({ host: settings.host, port: settings.port }),
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await closeWithin(app, settings.shutdownGraceMs);
      await keys
        .saveLastUsed()
        .catch((fault) => logger.warn({ fault: String(fault) }, "last_used_at not saved"));
      await router.close();
    },
  };
}

/** TEMPORARY: decides and runs nothing. */
function decisionsOnly(router: Router): Inference {
  return {
    run: () =>
      Promise.reject(
        new SextantError(
          "no_provider_available",
          "No provider is configured that could run the request. Send `execute: false` to get the decision alone.",
          { param: "execute" },
        ),
      ),
    async decide({ body: { messages, max_completion_tokens, max_tokens, tools }, choice }) {
      const maxTokens = max_completion_tokens ?? max_tokens;
      const decision = await router.route({
        messages: messages.map(({ role, content }) => ({ role, content: content ?? null })),
        costWeight: choice.costWeight,
        ...(choice.models === undefined ? {} : { models: choice.models }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(Array.isArray(tools) && tools.length > 0 ? { needsTools: true } : {}),
      } as unknown as RouteRequest);
      return { routing: routingBody(decision), limitHeaders: {} };
    },
    health: () => ({ state: "closed", error_rate: null, p50_ttft_ms: null }),
  };
}

function readinessOf(router: Router, embedderId: string) {
  const count = router.profiles().length;
  return {
    embedder: { ok: true, id: embedderId },
    profiles: { ok: count > 0, version: router.profileVersion, count },
  };
}

function followKeys(keys: KeyRing, logger: Logger): readonly NodeJS.Timeout[] {
  const report = (fault: unknown) => logger.warn({ fault: String(fault) }, "key file not followed");
  const refresh = setInterval(() => void keys.refresh().catch(report), KEY_REFRESH_MS);
  const save = setInterval(() => void keys.saveLastUsed().catch(report), LAST_USED_SAVE_MS);
  return [refresh.unref(), save.unref()];
}

async function closeWithin(app: ReturnType<typeof createApp>, graceMs: number): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}
