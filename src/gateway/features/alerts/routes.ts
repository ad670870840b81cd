import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { AlertState } from "./alert-state.js";
import type { AlertSetup } from "./alert-watch.js";
import { type AlertsBody, alertsBodySchema, alertTestReplySchema, alertTestSchema } from "./schema.js";
import { ALERT_RULES } from "./settings.js";

/** `/admin/alerts`: where alerts are sent, what fires, and a test. What is set up stands in the settings file. */
export function addAlertRoutes(app: FastifyInstance, { alerts }: Pick<ServerDependencies, "alerts">): void {
  addRoute(app, {
    route: "GET /admin/alerts",
    operationId: "showAlerts",
    summary: "Show where alerts are sent, their rules, and what fires",
    answer: alertsBodySchema,
    errors: [503],
    handle: async () => alertsBody(alerts.setup, await alerts.state()),
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

function alertsBody({ webhooks, rules }: AlertSetup, state: AlertState): Omit<AlertsBody, "request_id"> {
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
