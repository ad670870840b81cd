import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { QueryOptions } from "../../traces/store.js";
import { pauseBodies } from "../pauses/routes.js";
import { NO_STATE } from "./alert-state.js";
import { refusalSums, refusedIn, replacedSecrets, stuckIn } from "./attention.js";
import { attentionSchema } from "./attention-schema.js";
import { conditionId } from "./conditions.js";
import { silenceBodies, silencesIn } from "./routes.js";
import { spendNow } from "./spend.js";

type Dependencies = Pick<
  ServerDependencies,
  "alerts" | "catalog" | "keys" | "traces" | "pauses" | "events" | "now" | "inference" | "limiter"
>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_EVENTS = 10;
const STUCK_PAGE = { limit: 20, offset: 0 };

/** `GET /admin/attention`: what of the gateway needs an operator now, in one answer. */
export function addAttentionRoute(app: FastifyInstance, dependencies: Dependencies): void {
  const { alerts, catalog, keys, pauses, events, now, inference, limiter } = dependencies;
  const silenceBody = silenceBodies(keys);
  const pauseBody = pauseBodies(keys);
  addRoute(app, {
    route: "GET /admin/attention",
    operationId: "showAttention",
    summary: "Show what needs an operator now",
    answer: attentionSchema,
    async handle({ reply }) {
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const [{ conditions, unknown }, state, refusals, traffic, recent] = await Promise.all([
        alerts.conditions(),
        alerts.state().catch(() => NO_STATE),
        Promise.resolve(limiter.refusals()).catch(() => null),
        trafficOf(dependencies, { scope: "all", signal }).catch((fault) => {
          if (fault instanceof SextantError || signal.aborted) return null;
          throw fault;
        }),
        events.list({ startMs: now() - DAY_MS }, MOST_EVENTS).catch(() => null),
      ]);
      return {
        object: "attention" as const,
        conditions: conditions.map((condition) => {
          const is = (one: Pick<typeof condition, "rule" | "subject">) =>
            conditionId(one) === conditionId(condition);
          const sinceMs = state.firing.find(is)?.sinceMs;
          const silence = silencesIn(state, now()).find(is);
          return {
            ...condition,
            since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
            silence: silence === undefined ? null : silenceBody(silence),
          };
        }),
        refusals: refusals && refusalSums(refusals),
        unknown: [...unknown],
        replaced_secrets: replacedSecrets(keys.list(), now() - DAY_MS),
        refused: refusedIn(inference.healthOfAll()),
        stuck: traffic?.stuck ?? null,
        spend: traffic?.spend ?? null,
        providers: catalog.providers().flatMap(({ id, enabled }) => (enabled ? id : [])),
        pauses: pauses.list().map(pauseBody),
        events: recent?.events ?? null,
      };
    },
  });
}

/** What is spent, and the newest of stuck tool loops. */
async function trafficOf({ traces, now }: Dependencies, options: QueryOptions) {
  const stuck = { filter: { toolLoop: "stuck", startMs: now() - HOUR_MS }, page: STUCK_PAGE } as const;
  const [spend, { traces: looping }] = await Promise.all([
    spendNow({ traces, now }, options),
    traces.ask("list", stuck, options),
  ]);
  return { spend, stuck: stuckIn(looping) };
}
