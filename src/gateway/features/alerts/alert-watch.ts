import type { Log } from "../../../foundation/log.js";
import type { Cancel, Timers } from "../../../foundation/timers.js";
import type { Store } from "../../storage/store.js";
import {
  type AlertEvent,
  type AlertState,
  advanced,
  alertStateSchema,
  isOver,
  NO_STATE,
  type Silence,
  type WaitingEvent,
} from "./alert-state.js";
import {
  type AlertCondition,
  type AlertFacts,
  conditionId,
  conditionsOf,
  type FoundConditions,
} from "./conditions.js";
import type { AlertRules } from "./settings.js";
import { type Sent, sendEvent, type Webhook } from "./webhook.js";

/** What alerts are sent by; it changes with the settings. */
export interface AlertSetup {
  readonly webhooks: readonly Webhook[];
  readonly rules: AlertRules;
}

/** Models called by this process, and those that are not called for now, by provider. */
export type ProviderHealth = Readonly<Record<string, { readonly called: number; readonly out: number }>>;

export interface AlertWatchOptions {
  readonly store: Pick<Store, "name" | "get" | "update">;
  readonly facts: (rules: AlertRules) => Promise<Omit<AlertFacts, "providers">>;
  readonly health: () => ProviderHealth;
  /** Whether operators have paused the provider, or the model wherever it is served: that it fails needs nobody then. */
  readonly isPaused: (target: { readonly type: string; readonly id: string }) => boolean;
  readonly timers: Timers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly fetch: typeof fetch;
  readonly log: Pick<Log, "warn">;
  /** Between two looks. */
  readonly everyMs: number;
}

/** What was tried with a webhook. */
export interface WebhookTest extends Pick<Sent, "ok" | "status"> {
  readonly webhook: string;
  readonly latencyMs: number;
}

const ENTRY = { kind: "alerts", key: "state" };

const MOST_SILENCES = 500;
/** Tries until an event is given up: an hour and a half, each wait twice the one before. */
const MOST_TRIES = 10;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 900_000;
/** For how long an event is that of the process that sends it: more than a webhook may take. */
const SENDING_MS = 60_000;

/**
 * Looks at the rules, fires what begins to hold and resolves what has ended, once in a fleet: whichever process is first in an
 * interval does it, by the state that all share. An event is in the state before it is sent, and is sent again until a webhook has
 * taken it: a process that dies between the two makes it come twice, with one id, never not at all.
 */
export class AlertWatch {
  readonly #options: AlertWatchOptions;
  readonly #process: string;
  #setup: AlertSetup;
  #stop: Cancel | undefined;
  #turn: Promise<void> | undefined;
  #isFailing = false;

  constructor(setup: AlertSetup, options: AlertWatchOptions) {
    this.#setup = setup;
    this.#options = options;
    this.#process = options.newId();
    this.use(setup);
  }

  get setup(): AlertSetup {
    return this.#setup;
  }

  /** What is to be used from now on. */
  use(setup: AlertSetup): void {
    this.#setup = setup;
    this.#stop?.();
    const { timers, everyMs } = this.#options;
    this.#stop = timers.every(everyMs, () => void this.look());
  }

  /** Looks once, if it is the turn of this process, and sends what waits. Never rejects. */
  look(): Promise<void> {
    this.#turn ??= this.#look()
      .then(
        () => {
          this.#isFailing = false;
        },
        (fault) => {
          if (!this.#isFailing)
            this.#options.log.warn({ fault: String(fault) }, "alerts cannot be looked after");
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#turn = undefined;
      });
    return this.#turn;
  }

  /** @throws what the store does when it cannot be read */
  async state(): Promise<AlertState> {
    return stateOf(await this.#options.store.get(ENTRY));
  }

  /** What holds now by the rules, of all instances as far as the store can be read. Webhooks are not needed. Never rejects. */
  async conditions(rules: AlertRules = this.#setup.rules): Promise<FoundConditions> {
    const { facts, health, now } = this.#options;
    const [asked, state] = await Promise.all([facts(rules), this.state().catch(() => NO_STATE)]);
    const own = { [this.#process]: { atMs: now(), providers: health() } };
    const providers = providersOf({ processes: { ...state.processes, ...own } });
    return this.#withoutPaused(conditionsOf({ ...asked, providers }, rules));
  }

  /** Silences a condition; a silence of the same gives way to it. @throws StorageError */
  async silence(asked: Omit<Silence, "id" | "atMs">): Promise<Silence> {
    const { store, now, newId } = this.#options;
    const added: Silence = { id: `silence_${newId()}`, ...asked, atMs: now() };
    await store.update(ENTRY, (text) => {
      const state = stateOf(text);
      const others = state.silences.filter((one) => conditionId(one) !== conditionId(added));
      return JSON.stringify({ ...state, silences: [...others, added].slice(-MOST_SILENCES) });
    });
    return added;
  }

  /** Ends a silence; what it silenced fires at the next look, if it still holds. @returns undefined when there is none @throws StorageError */
  async unsilence(id: string): Promise<Silence | undefined> {
    const { store, now } = this.#options;
    let ended: Silence | undefined;
    await store.update(ENTRY, (text) => {
      const state = stateOf(text);
      ended = state.silences.find((one) => one.id === id && !isOver(one, now()));
      if (ended === undefined) return undefined;
      const silences = state.silences.map((one) => (one.id === id ? { ...one, endsMs: now() } : one));
      return JSON.stringify({ ...state, silences });
    });
    return ended;
  }

  /** Sends a test now, once, to all webhooks or the named one. Empty when there is no such webhook. */
  test(name: string | undefined): Promise<readonly WebhookTest[]> {
    const { now, newId, fetch } = this.#options;
    const asked = this.#setup.webhooks.filter((webhook) => name === undefined || webhook.name === name);
    return Promise.all(
      asked.map(async (webhook) => {
        const startMs = now();
        const at = new Date(startMs).toISOString();
        const event: AlertEvent = {
          id: `alert_${newId()}`,
          type: "alert.test",
          rule: "test",
          at,
          fired_at: at,
          subject: webhook.name,
          title: "Test of Sextant's alerts",
          detail: "An operator sent it. Alerts will come here.",
        };
        const { ok, status } = await sendEvent(webhook, event, { fetch, heldBack: 0, nowMs: startMs });
        return { webhook: webhook.name, ok, status, latencyMs: now() - startMs };
      }),
    );
  }

  /** Waits for what is being sent. */
  async close(): Promise<void> {
    this.#stop?.();
    await this.#turn;
  }

  async #look(): Promise<void> {
    if (await this.#takeTurn()) await this.#evaluate();
    await this.#deliver();
  }

  readonly #isPaused = (target: AlertCondition["target"]): boolean =>
    target !== null && this.#options.isPaused(target);

  #withoutPaused({ conditions, unknown }: FoundConditions): FoundConditions {
    return { conditions: conditions.filter(({ target }) => !this.#isPaused(target)), unknown };
  }

  /** Says how this process finds providers, and whether the turn of this interval is its own. */
  async #takeTurn(): Promise<boolean> {
    const { store, now, everyMs, health, log } = this.#options;
    let isOwn = false;
    await store.update(ENTRY, (text) => {
      const state = stateOf(text);
      if (text !== undefined && state === NO_STATE)
        log.warn({ store: store.name }, "the state of alerts is damaged: what fires is sent again");
      const nowMs = now();
      // Clocks of instances may differ, and timers are late.
      isOwn = Math.abs(nowMs - state.turnMs) >= everyMs * 0.75;
      const others = Object.entries(state.processes).filter(([, { atMs }]) => nowMs - atMs < everyMs * 3);
      const processes = {
        ...Object.fromEntries(others),
        [this.#process]: { atMs: nowMs, providers: { ...health() } },
      };
      return JSON.stringify({ ...state, processes, ...(isOwn && { turnMs: nowMs }) });
    });
    return isOwn;
  }

  async #evaluate(): Promise<void> {
    const { store, facts, now, newId } = this.#options;
    const { rules, webhooks } = this.#setup;
    const asked = await facts(rules);
    await store.update(ENTRY, (text) => {
      const state = stateOf(text);
      const found = this.#withoutPaused(conditionsOf({ ...asked, providers: providersOf(state) }, rules));
      const told = { webhooks: webhooks.map(({ name }) => name), isPaused: this.#isPaused };
      return JSON.stringify(advanced(state, { ...found, ...told, nowMs: now(), newId }));
    });
  }

  async #deliver(): Promise<void> {
    const { store, now, fetch, log } = this.#options;
    let due: readonly WaitingEvent[] = [];
    await store.update(ENTRY, (text) => {
      const state = stateOf(text);
      const nowMs = now();
      due = state.waiting.filter(({ nextMs }) => nextMs <= nowMs);
      if (due.length === 0) return undefined;
      const waiting = state.waiting.map((one) =>
        due.includes(one) ? { ...one, nextMs: nowMs + SENDING_MS } : one,
      );
      return JSON.stringify({ ...state, waiting });
    });
    for (const { webhook: name, event, heldBack, tries } of due) {
      const webhook = this.#setup.webhooks.find((one) => one.name === name);
      if (webhook === undefined) continue;
      const sent = await sendEvent(webhook, event, { fetch, heldBack, nowMs: now() });
      const isOver = sent.ok || !sent.mayRetry || tries + 1 >= MOST_TRIES;
      if (isOver && !sent.ok)
        log.warn({ webhook: name, status: sent.status, event: event.id }, "an alert was not sent");
      await store.update(ENTRY, (text) =>
        JSON.stringify(afterTry(stateOf(text), { name, event, sent, isOver, nowMs: now() })),
      );
    }
  }
}

interface Tried {
  readonly name: string;
  readonly event: AlertEvent;
  readonly sent: Sent;
  readonly isOver: boolean;
  readonly nowMs: number;
}

function afterTry(state: AlertState, { name, event, sent, isOver, nowMs }: Tried): AlertState {
  const isIt = (one: WaitingEvent): boolean => one.webhook === name && one.event.id === event.id;
  const again = ({ tries, ...one }: WaitingEvent): WaitingEvent => {
    const waitMs = sent.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tries;
    return { ...one, tries: tries + 1, nextMs: nowMs + Math.min(waitMs, LONGEST_WAIT_MS) };
  };
  return {
    ...state,
    waiting: state.waiting.flatMap((one) => (!isIt(one) ? one : isOver ? [] : again(one))),
    last: { ...state.last, [name]: { at: new Date(nowMs).toISOString(), ok: sent.ok, status: sent.status } },
  };
}

/** What another version wrote in another shape is replaced: what fires then fires again. */
function stateOf(text: string | undefined): AlertState {
  if (text === undefined) return NO_STATE;
  try {
    return alertStateSchema.parse(JSON.parse(text));
  } catch {
    return NO_STATE;
  }
}

function providersOf({ processes }: Pick<AlertState, "processes">): AlertFacts["providers"] {
  const sums = new Map<string, { called: number; out: number }>();
  for (const { providers } of Object.values(processes)) {
    for (const [provider, { called, out }] of Object.entries(providers)) {
      const sum = sums.get(provider) ?? { called: 0, out: 0 };
      sums.set(provider, { called: sum.called + called, out: sum.out + out });
    }
  }
  return sums;
}
