import { z } from "zod";
import { type AlertCondition, conditionId, type FoundConditions } from "./conditions.js";
import { ALERT_RULES, ALERT_TARGETS } from "./settings.js";

const ms = z.number();

const alertEventSchema = z.object({
  /** Of the event, the same for every try to send it. */
  id: z.string(),
  type: z.enum(["alert.fired", "alert.resolved", "alert.test"]),
  /** ISO 8601, UTC. */
  at: z.string(),
  rule: z.enum([...ALERT_RULES, "test"]),
  subject: z.string(),
  title: z.string(),
  detail: z.string(),
  /** ISO 8601, UTC. */
  fired_at: z.string(),
});

/** What a webhook is sent, in the form `json` as it is, with `held_back`. */
export type AlertEvent = Readonly<z.infer<typeof alertEventSchema>>;

const targetSchema = z.object({ type: z.enum(ALERT_TARGETS), id: z.string() });

const firingSchema = z.object({
  rule: z.enum(ALERT_RULES),
  subject: z.string(),
  title: z.string(),
  detail: z.string(),
  target: targetSchema.nullable(),
  sinceMs: ms,
  /** When it was last found to be so. */
  seenMs: ms,
});

/** What operators know of, and want no messages about. */
const silenceSchema = z.object({
  id: z.string(),
  rule: z.enum(ALERT_RULES),
  subject: z.string(),
  reason: z.string(),
  /** Id of the key of who silenced it, or what else stands for who did. */
  by: z.string(),
  atMs: ms,
  /** Null: until it resolves. */
  endsMs: ms.nullable(),
});
export type Silence = Readonly<z.infer<typeof silenceSchema>>;

export const isOver = ({ endsMs }: Silence, nowMs: number): boolean => endsMs !== null && endsMs <= nowMs;

const waitingSchema = z.object({
  webhook: z.string(),
  event: alertEventSchema,
  /** Alerts before it that were not sent, because too many were. */
  heldBack: z.number(),
  tries: z.number(),
  /** Not before: it waits, or a process is sending it. */
  nextMs: ms,
});
export type WaitingEvent = Readonly<z.infer<typeof waitingSchema>>;

/** What all processes of a fleet know together of alerts. */
export const alertStateSchema = z.object({
  version: z.literal(1),
  turnMs: ms,
  firing: z.array(firingSchema),
  silences: z.array(silenceSchema),
  waiting: z.array(waitingSchema),
  /** The newest last. */
  recent: z.array(alertEventSchema),
  /** Webhook → when it was sent something, within the last hour, and how many were held back since. */
  sent: z.record(z.string(), z.object({ atMs: z.array(ms), heldBack: z.number() })),
  /** Webhook → how the last try to send ended. */
  last: z.record(z.string(), z.object({ at: z.string(), ok: z.boolean(), status: z.string() })),
  /** Process → models called, and those that are not called for now, by provider. */
  processes: z.record(
    z.string(),
    z.object({
      atMs: ms,
      providers: z.record(z.string(), z.object({ called: z.number(), out: z.number() })),
    }),
  ),
});
export type AlertState = Readonly<z.infer<typeof alertStateSchema>>;

export const NO_STATE: AlertState = {
  version: 1,
  turnMs: 0,
  firing: [],
  silences: [],
  waiting: [],
  recent: [],
  sent: {},
  last: {},
  processes: {},
};

/** How long a condition must not have held before its alert resolves, so that one that comes and goes fires once (a guess). */
export const RESOLVE_AFTER_MS = 300_000;
/** Messages to a webhook in an hour; further ones are held back, and their number goes with the next (a guess). */
const MOST_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
const MOST_RECENT = 200;

interface TurnOptions extends FoundConditions {
  readonly nowMs: number;
  readonly webhooks: readonly string[];
  /** Whether operators have paused what an alert is about: it neither resolves nor fires meanwhile. */
  readonly isPaused: (target: AlertCondition["target"]) => boolean;
  /** A new unique id without its prefix. */
  readonly newId: () => string;
}

/**
 * The state after a look at the conditions: what began fires once, what has ended resolves once. Webhooks are told of nothing that is
 * silenced; what still holds when its silence ends fires again, at the first look that sees it.
 */
export function advanced(state: AlertState, found: TurnOptions): AlertState {
  const { nowMs, conditions, unknown, isPaused, newId } = found;
  const holding = new Map(conditions.map((condition) => [conditionId(condition), condition]));
  const before = new Set(state.firing.map((one) => conditionId(one)));
  const over = (one: Silence): boolean => isOver(one, nowMs);
  const silenced = new Set(state.silences.filter((one) => !over(one)).map((one) => conditionId(one)));
  const ended = new Set(state.silences.filter(over).map((one) => conditionId(one)));
  const events: AlertEvent[] = [];
  const note = (
    type: AlertEvent["type"],
    { rule, subject, title, detail, sinceMs }: (typeof state.firing)[number],
  ) =>
    events.push({
      id: `alert_${newId()}`,
      type,
      at: new Date(nowMs).toISOString(),
      rule,
      subject,
      title,
      detail,
      fired_at: new Date(sinceMs).toISOString(),
    });
  const firing = state.firing.flatMap((one) => {
    const now = holding.get(conditionId(one));
    if (now !== undefined) {
      if (ended.has(conditionId(one))) note("alert.fired", { ...one, ...now });
      return { ...one, ...now, seenMs: nowMs };
    }
    if (unknown.has(one.rule) || isPaused(one.target) || nowMs - one.seenMs < RESOLVE_AFTER_MS) return one;
    note("alert.resolved", one);
    return [];
  });
  for (const [id, condition] of holding) {
    if (before.has(id)) continue;
    const started = { ...condition, sinceMs: nowMs, seenMs: nowMs };
    firing.push(started);
    note("alert.fired", started);
  }
  const held = new Set(firing.map((one) => conditionId(one)));
  const silences = state.silences.filter((one) => {
    const id = conditionId(one);
    if (over(one)) return held.has(id) && !holding.has(id);
    return one.endsMs !== null || held.has(id) || unknown.has(one.rule);
  });
  return withWaiting(
    { ...state, firing, silences, recent: [...state.recent, ...events].slice(-MOST_RECENT) },
    events.filter(({ rule, subject }) => rule === "test" || !silenced.has(conditionId({ rule, subject }))),
    found,
  );
}

function withWaiting(
  state: AlertState,
  events: readonly AlertEvent[],
  { nowMs, webhooks }: Pick<TurnOptions, "nowMs" | "webhooks">,
): AlertState {
  const sent: Record<string, { atMs: number[]; heldBack: number }> = {};
  const waiting = state.waiting.filter(({ webhook }) => webhooks.includes(webhook));
  for (const webhook of webhooks) {
    const known = state.sent[webhook] ?? { atMs: [], heldBack: 0 };
    const atMs = known.atMs.filter((one) => one > nowMs - HOUR_MS);
    let { heldBack } = known;
    for (const event of events) {
      if (atMs.length >= MOST_AN_HOUR) {
        heldBack += 1;
        continue;
      }
      atMs.push(nowMs);
      waiting.push({ webhook, event, heldBack, tries: 0, nextMs: nowMs });
      heldBack = 0;
    }
    sent[webhook] = { atMs, heldBack };
  }
  return { ...state, waiting, sent };
}
