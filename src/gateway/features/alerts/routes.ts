import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { recordActs } from "../events/routes.js";
import { type AlertState, isOver, type Silence } from "./alert-state.js";
import type { AlertSetup } from "./alert-watch.js";
import {
  type AlertsBody,
  alertsBodySchema,
  alertTestReplySchema,
  alertTestSchema,
  newSilenceSchema,
  type SilenceBody,
  silenceReplySchema,
} from "./schema.js";
import { ALERT_RULES } from "./settings.js";

type Dependencies = Pick<ServerDependencies, "alerts" | "events" | "keys" | "limits" | "now">;

/** `/admin/alerts`: where alerts are sent, what fires, silences, and a test. `/admin/settings` changes webhooks and rules. */
export function addAlertRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { alerts, keys, now } = dependencies;
  const record = recordActs(dependencies);
  const bodyOf = silenceBodies(keys);
  const act = ({ id, rule, subject, reason }: Silence) => ({
    target: { type: "alert" as const, id: `${rule} ${subject}`, name: null },
    details: { silence: id, reason },
  });
  addRoute(app, {
    route: "GET /admin/alerts",
    operationId: "showAlerts",
    summary: "Show where alerts are sent, their rules, and what fires",
    answer: alertsBodySchema,
    errors: [503],
    async handle() {
      const state = await alerts.state();
      return { ...alertsBody(alerts.setup, state), silences: silencesIn(state, now()).map(bodyOf) };
    },
  });
  addRoute(app, {
    route: "POST /admin/alerts/silences",
    operationId: "silenceAlert",
    summary: "Send no messages about an alert for a while",
    body: newSilenceSchema,
    answer: silenceReplySchema,
    status: 201,
    errors: [503],
    async handle({ body: { rule, subject, reason, ends_at: end }, principal, request }) {
      const endsMs = end == null ? null : Date.parse(end);
      if (endsMs !== null && endsMs <= now())
        throw new SextantError("invalid_request", `\`ends_at\` is "${end}", which has passed.`, {
          param: "ends_at",
        });
      const silence = await alerts.silence({ rule, subject, reason, by: principal.id, endsMs });
      await record(request, { kind: "alert.silenced", ...act(silence) });
      return bodyOf(silence);
    },
  });
  addRoute(app, {
    route: "DELETE /admin/alerts/silences/:id",
    operationId: "endSilence",
    summary: "Send messages about an alert again",
    params: z.object({ id: z.string() }),
    answer: silenceReplySchema,
    errors: [503],
    async handle({ params, request }) {
      const silence = await alerts.unsilence(params.id);
      if (silence === undefined)
        throw new SextantError(
          "not_found",
          `No silence in force has the id ${JSON.stringify(params.id.slice(0, 80))}. GET /admin/alerts lists them.`,
        );
      await record(request, { kind: "alert.unsilenced", ...act(silence) });
      return bodyOf(silence);
    },
  });
  addRoute(app, {
    route: "POST /admin/alerts/test",
    operationId: "testAlerts",
    summary: "Send a test to the webhooks of alerts",
    body: alertTestSchema,
    answer: alertTestReplySchema,
    errors: [404],
    async handle({ body: { webhook } }) {
      const tests = await alerts.test(webhook);
      if (webhook !== undefined && tests.length === 0) {
        throw new SextantError(
          "not_found",
          `There is no webhook ${JSON.stringify(webhook.slice(0, 80))}. GET /admin/alerts lists them.`,
          { param: "webhook" },
        );
      }
      return {
        object: "list" as const,
        data: tests.map(({ latencyMs, ...test }) => ({ ...test, latency_ms: latencyMs })),
      };
    },
  });
}

/** Those in force. */
export const silencesIn = ({ silences }: Pick<AlertState, "silences">, nowMs: number): readonly Silence[] =>
  silences.filter((one) => !isOver(one, nowMs));

/** Silences with the names that their keys have now. */
export const silenceBodies =
  (keys: Pick<ServerDependencies["keys"], "nameOf">) =>
  ({ by, atMs, endsMs, ...silence }: Silence): SilenceBody => ({
    ...silence,
    created_at: new Date(atMs).toISOString(),
    created_by: by,
    created_by_name: keys.nameOf(by) ?? null,
    ends_at: endsMs === null ? null : new Date(endsMs).toISOString(),
  });

function alertsBody(
  { webhooks, rules }: AlertSetup,
  state: AlertState,
): Omit<AlertsBody, "request_id" | "silences"> {
  return {
    object: "alerts",
    webhooks: webhooks.map(({ name, form, url, secret }) => ({
      name,
      form,
      host: new URL(url).host,
      signed: secret !== undefined && form === "json",
      waiting: state.waiting.filter(({ webhook }) => webhook === name).length,
      last: state.last[name] ?? null,
    })),
    rules: ALERT_RULES.map((rule) => ({
      rule,
      on: rules[rule] !== false,
      thresholds: { ...(rules[rule] || {}) },
    })),
    firing: state.firing.map(({ sinceMs, seenMs: _, ...one }) => ({
      ...one,
      since: new Date(sinceMs).toISOString(),
    })),
    // Tests are sent and not kept.
    recent: state.recent.toReversed() as AlertsBody["recent"],
    looked_at: state.turnMs === 0 ? null : new Date(state.turnMs).toISOString(),
  };
}
