import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { SextantError } from "../../../foundation/errors.js";
import { UNLIMITED } from "../../access/principal.js";
import { attentionSchema } from "../../api/attention.js";
import { errorResponses } from "../../api/error.js";
import type { SeriesSteps } from "../../traces/series.js";
import type { QueryOptions } from "../../traces/store.js";
import type { ServerDependencies } from "../dependencies.js";
import { limitsInUse, NOTHING_USED } from "./admin-keys-route.js";
import {
  failingIn,
  HOUR_MS,
  hoursUntil,
  nearKeys,
  refusedIn,
  replacedSecrets,
  spendIn,
  stuckIn,
} from "./attention.js";
import { budgetBodies } from "./budgets-route.js";
import { pauseBodies } from "./pauses-route.js";

type Dependencies = Pick<
  ServerDependencies,
  "keys" | "limiter" | "traces" | "pauses" | "events" | "now" | "inference"
>;

/** Before the running hour, in which what fails is compared with them. */
const USUAL_HOURS = 24;
/** Two weeks, and the running hour. */
export const SPEND_HOURS = 14 * 24 + 1;
const DAY_MS = 24 * HOUR_MS;
const MOST_EVENTS = 10;
const MOST_BUDGETS_SHOWN = 20;
const STUCK_PAGE = { limit: 20, offset: 0 };

/** `GET /admin/attention`: what of the gateway needs an operator now, in one answer. */
export function addAttentionRoute(app: FastifyInstance, dependencies: Dependencies): void {
  const { keys, pauses, events, now, inference } = dependencies;
  const pauseBody = pauseBodies(keys);
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/attention",
    config: { scope: "admin" },
    schema: {
      operationId: "showAttention",
      summary: "Show what needs an operator now",
      tags: ["administration"],
      response: { 200: attentionSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request, reply) => {
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const [near, budgets, traffic, recent] = await Promise.all([
        usableKeyUses(dependencies).then(nearKeys),
        budgetsNearLimits(dependencies),
        trafficOf(dependencies, { scope: "all", signal }).catch((fault) => {
          if (fault instanceof SextantError || signal.aborted) return null;
          throw fault;
        }),
        events.list({ startMs: now() - DAY_MS }, MOST_EVENTS).catch(() => null),
      ]);
      return reply.send({
        object: "attention" as const,
        keys: near,
        budgets,
        replaced_secrets: replacedSecrets(keys.list(), now() - DAY_MS),
        failing: traffic?.failing ?? null,
        refused: refusedIn(inference.healthOfAll()),
        stuck: traffic?.stuck ?? null,
        spend: traffic?.spend ?? null,
        pauses: pauses.list().map(pauseBody),
        events: recent === null ? null : [...recent.events],
        request_id: request.id,
      });
    },
  });
}

/** What keys that can be used have used of their limits. */
export async function usableKeyUses({ keys, limiter, now }: Pick<Dependencies, "keys" | "limiter" | "now">) {
  const usable = keys
    .list()
    .filter(({ revoked_at, expires_at }) => revoked_at === null && !(Date.parse(expires_at ?? "") <= now()));
  const used = await limiter.usedBy(usable.map(({ id }) => id));
  return usable.map(({ id, name }, at) => ({
    id,
    name,
    use: limitsInUse(keys.limitsOf(id) ?? UNLIMITED, used[at] ?? NOTHING_USED),
  }));
}

const budgetsNearLimits = async ({ limiter, now }: Dependencies) =>
  budgetBodies(await limiter.budgetUse(), now())
    .filter(({ state }) => state !== "ok")
    .slice(0, MOST_BUDGETS_SHOWN);

/** Sums of traces without percentiles, in as few steps as are needed, and the newest of stuck tool loops. */
async function trafficOf({ traces, now }: Dependencies, options: QueryOptions) {
  const nowMs = now();
  const { startMs: hourMs, endMs } = hoursUntil(nowMs, 1);
  const series = (startMs: number, steps: SeriesSteps) =>
    traces.ask("series", { filter: { startMs, endMs }, steps: { ...steps, percentiles: "none" } }, options);
  const failing = (by: "model" | "provider") =>
    series(hourMs - USUAL_HOURS * HOUR_MS, { originMs: hourMs, stepMs: USUAL_HOURS * HOUR_MS, by });
  const spendMs = endMs - SPEND_HOURS * HOUR_MS;
  const stuck = { filter: { toolLoop: "stuck", startMs: nowMs - HOUR_MS }, page: STUCK_PAGE } as const;
  const [byModel, byProvider, all, { traces: looping }] = await Promise.all([
    failing("model"),
    failing("provider"),
    series(spendMs, { originMs: spendMs, stepMs: HOUR_MS }),
    traces.ask("list", stuck, options),
  ]);
  return {
    failing: [
      ...failingIn(byProvider, { by: "provider", endMs }),
      ...failingIn(byModel, { by: "model", endMs }),
    ],
    stuck: stuckIn(looping),
    spend: spendIn(all, nowMs),
  };
}
