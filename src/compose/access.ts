/** Who may ask, and how much: keys, tokens, console sessions, limits and budgets, pauses, and what operators did. */

import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { RedisUnavailableError } from "../foundation/errors.js";
import { RepeatedWarning } from "../foundation/repeated-warning.js";
import { systemClock } from "../foundation/timers.js";
import {
  type Authenticator,
  anonymousAuthenticator,
  createAuthenticator,
} from "../gateway/access/authenticator.js";
import type { CreatedKey, KeyRing } from "../gateway/access/keys/key-ring.js";
import type { CountingLimiter, LimiterOptions } from "../gateway/access/limits/limiter.js";
import { openLimiter } from "../gateway/access/limits/open-limiter.js";
import { SCOPES } from "../gateway/access/principal.js";
import { openTokens } from "../gateway/access/tokens/open-tokens.js";
import { ConsoleSessions } from "../gateway/features/console/console-sessions.js";
import type { EventLog } from "../gateway/features/events/event-log.js";
import type { PauseList } from "../gateway/features/pauses/pause-list.js";
import type { Settings } from "../gateway/settings.js";
import type { Stores } from "../gateway/storage/open-stores.js";
import { defaultLimitsOf, openKeyRing } from "./keys.js";
import { eventsOf, pausesOf } from "./operators.js";

/** How often a server looks whether another process revoked a key, paused something, or changed settings. */
export const REFRESH_MS = 500;
const LAST_USED_SAVE_MS = 60_000;
/** An hour without anything that its user does: a page left open in a meeting goes on, one left overnight does not. */
const CONSOLE_IDLE_MS = 3_600_000;

export interface ComposedAccess {
  readonly keys: KeyRing;
  readonly limiter: CountingLimiter;
  readonly pauses: PauseList;
  readonly events: EventLog;
  /** Null without keys or without a console. */
  readonly sessions: ConsoleSessions | null;
  /** As `ComposedServer.makeFirstKey`. */
  makeFirstKey(): Promise<CreatedKey | undefined>;
  readonly authenticator: Authenticator;
  close(): Promise<void>;
}

interface AccessSources extends Pick<LimiterOptions, "onRefusal" | "onSwitch"> {
  readonly stores: Stores;
  readonly logger: Logger;
}

export async function composeAccess(
  settings: Settings,
  { stores, logger, onRefusal, onSwitch }: AccessSources,
): Promise<ComposedAccess> {
  const keys = await openKeyRing(stores.local, settings);
  const limits = defaultLimitsOf(settings);
  const log = logger;
  const tokens = await openTokens(settings, { limits, now: Date.now, monotonicNow: systemClock, fetch, log });
  const limiter = await openLimiter(settings, {
    store: stores.local,
    refusals: stores.shared,
    now: Date.now,
    onRefusal,
    onSwitch,
    log,
  });
  limiter.useBudgets(settings.budgets);
  const needsKeys = settings.auth === "on";
  const pauses = pausesOf(stores);
  await pauses.refresh().catch((fault) => {
    // A Redis that is away now is asked again; a file that cannot be read stays so.
    if (!(fault instanceof RedisUnavailableError)) throw fault;
    logger.warn({ fault: String(fault) }, "pauses cannot be read yet");
  });
  const events = eventsOf(stores, { log });
  const timers = [
    repeating(() => keys.refresh(), { everyMs: REFRESH_MS, fault: "keys not followed", logger }),
    repeating(() => keys.saveUse(), { everyMs: LAST_USED_SAVE_MS, fault: "use of keys not saved", logger }),
    repeating(() => pauses.refresh(), { everyMs: REFRESH_MS, fault: "pauses not followed", logger }),
  ];
  const sessions =
    needsKeys && settings.console
      ? new ConsoleSessions({
          store: stores.local,
          keys,
          idleMs: CONSOLE_IDLE_MS,
          longestMs: settings.consoleSessionMs,
          now: Date.now,
          randomBytes,
        })
      : null;
  return {
    keys,
    limiter,
    pauses,
    events,
    sessions,
    makeFirstKey: async () =>
      needsKeys ? keys.createFirst({ name: "first key", scopes: SCOPES }) : undefined,
    authenticator: needsKeys
      ? createAuthenticator({ keys, tokens, sessions: sessions ?? undefined })
      : anonymousAuthenticator(limits),
    async close() {
      for (const timer of timers) clearInterval(timer);
      await limiter.close();
      await keys.saveUse().catch((fault) => logger.warn({ fault: String(fault) }, "use of keys not saved"));
    },
  };
}

export interface Repeated {
  readonly everyMs: number;
  /** What is logged once a minute while it fails. */
  readonly fault: string;
  readonly logger: Logger;
}

/** Does it again and again, without keeping the process alive. */
export function repeating(
  task: () => Promise<unknown>,
  { everyMs, fault, logger }: Repeated,
): NodeJS.Timeout {
  const warning = new RepeatedWarning(fault, {
    warn: (details, text) => logger.warn(details, text),
    clock: systemClock,
  });
  const run = () =>
    task().then(
      () => warning.succeeded(),
      (reason) => warning.failed(reason),
    );
  return setInterval(() => void run(), everyMs).unref();
}
