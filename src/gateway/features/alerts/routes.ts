import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { SextantError } from "../../../foundation/errors.js";
import { errorResponses } from "../../api/error.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { AlertState } from "./alert-state.js";
import type { AlertSetup } from "./alert-watch.js";
import { type AlertsBody, alertsBodySchema, alertTestReplySchema, alertTestSchema } from "./schema.js";
import { ALERT_RULES } from "./settings.js";

/** `/admin/alerts`: where alerts are sent, what fires, and a test. What is set up stands in the settings file. */
export function addAlertRoutes(app: FastifyInstance, { alerts }: Pick<ServerDependencies, "alerts">): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/admin/alerts",
    config: { scope: "admin" },
    schema: {
      operationId: "showAlerts",
      summary: "Show where alerts are sent, their rules, and what fires",
      tags: ["administration"],
      response: { 200: alertsBodySchema, ...errorResponses(401, 403, 500, 503) },
    },
    handler: async (request) => ({
      ...alertsBody(alerts.setup, await alerts.state()),
      request_id: request.id,
    }),
  });
  typed.route({
    method: "POST",
    url: "/admin/alerts/test",
    config: { scope: "admin" },
    schema: {
      operationId: "testAlerts",
      summary: "Send a test to the webhooks of alerts",
      tags: ["administration"],
      body: alertTestSchema,
      response: { 200: alertTestReplySchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500) },
    },
    handler: async (request) => {
      const { webhook } = request.body;
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
        request_id: request.id,
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
