import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance } from "fastify";
import { valueAt } from "../../../foundation/value-path.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { AlertSetup } from "../alerts/alert-watch.js";
import { recordActs } from "../events/routes.js";
import type { ChangeableSettings } from "./operator-settings.js";
import {
  isGiven,
  OPERATOR_FIELDS,
  type OperatorField,
  type SettingsBody,
  settingsPatchSchema,
  settingsReplySchema,
} from "./schema.js";

type Dependencies = Pick<
  ServerDependencies,
  "settings" | "alerts" | "events" | "keys" | "limits" | "settingsPath"
>;

/** `/admin/settings`: budgets, alerts and the default cost weight, which operators change without a file or a restart. */
export function addSettingsRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { settings, alerts, settingsPath } = dependencies;
  const record = recordActs(dependencies);
  const bodyOf = () => settingsBody(settings, alerts.setup);
  addRoute(app, {
    route: "GET /admin/settings",
    operationId: "showSettings",
    summary: "Show the settings that operators can change",
    answer: settingsReplySchema,
    handle: () => bodyOf(),
  });
  addRoute(app, {
    route: "PATCH /admin/settings",
    operationId: "changeSettings",
    summary: "Change settings on all instances, or reset them to those of the settings file",
    body: settingsPatchSchema,
    answer: settingsReplySchema,
    errors: [409, 503],
    async handle({ body, request }) {
      const look = () => ({ ...bodyOf(), addresses: settings.inUse().alerts.webhooks.map(({ url }) => url) });
      const {
        before: { addresses, ...before },
        after: { addresses: newAddresses, ...after },
      } = await settings.change(body, look);
      const differs = (field: OperatorField) =>
        before.sources[field] !== after.sources[field] ||
        !isDeepStrictEqual(shownAt(before, field), shownAt(after, field)) ||
        (field === "alerts.webhooks" && !isDeepStrictEqual(addresses, newAddresses));
      const changed = OPERATOR_FIELDS.filter((field) => isGiven(body, field) && differs(field));
      const valuesOf = (shown: typeof before) =>
        Object.fromEntries(changed.map((field) => [field, shownAt(shown, field)]));
      if (changed.length > 0)
        await record(request, {
          kind: "settings.changed",
          target: { type: "settings", id: settingsPath, name: null },
          details: { changed, before: valuesOf(before), after: valuesOf(after) },
        });
      return after;
    },
  });
}

const shownAt = ({ settings }: Pick<SettingsBody, "settings">, field: OperatorField): unknown =>
  valueAt(settings, field.split("."));

function settingsBody(
  { inUse, sourceOf, version }: ChangeableSettings,
  { webhooks: addressed }: AlertSetup,
): Omit<SettingsBody, "request_id"> {
  const { budgets, alerts, autoCostWeight } = inUse();
  const hostOf = (name: string): string => {
    const { url = "" } = addressed.find((webhook) => webhook.name === name) ?? {};
    return URL.canParse(url) ? new URL(url).host : "";
  };
  const webhooks = alerts.webhooks.map(({ name, form, url_env = null, secret_env = null }) => ({
    name,
    form,
    host: hostOf(name),
    url_env,
    secret_env,
  }));
  const sources = Object.fromEntries(OPERATOR_FIELDS.map((field) => [field, sourceOf(field)]));
  return {
    object: "settings",
    settings: {
      budgets: [...budgets],
      alerts: { webhooks, rules: alerts.rules },
      auto_cost_weight: autoCostWeight,
    },
    sources: sources as SettingsBody["sources"],
    version: version(),
  };
}
