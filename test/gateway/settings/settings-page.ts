import { readFileSync } from "node:fs";
import type { z } from "zod";
import {
  authSchema,
  deploymentSchema,
  priceSchema,
  providerKeySchema,
  providerModelSchema,
  providerSchema,
} from "../../../src/engine/catalog/entries.js";
import { PACKAGE_ROOT } from "../../../src/foundation/package.js";
import { modelLimitSchema } from "../../../src/gateway/run/settings.js";
import { fileKeyOf, SETTING_AREAS, settingsSchema, variableOf } from "../../../src/gateway/settings.js";
import { redactionSchema } from "../../../src/gateway/traces/settings.js";
import { withTables } from "../../support/page-tables.js";

const PAGE = new URL("../../../docs/settings.md", import.meta.url);

/** The text of docs/settings.md, whose tables are made from the schema. */
export const settingsPage = (): string =>
  withTables(PAGE, {
    ...Object.fromEntries(
      SETTING_AREAS.map(({ title, settings }) => [`## ${title}`, Object.keys(settings).map(rowOf)]),
    ),
    "**An entry of `providers`:**": keysOf(providerSchema),
    "**An entry of `keys`:**": keysOf(providerKeySchema),
    "**`auth`:**": keysOf(authSchema),
    "**An entry of `models`:**": keysOf(providerModelSchema),
    "**An entry of `deployments`:**": keysOf(deploymentSchema),
    "**A price:**": keysOf(priceSchema),
    "**An entry of `model_limits`:**": keysOf(modelLimitSchema),
    "**An entry of `trace_redact`:**": keysOf(redactionSchema),
  });

/** The settings files that the page shows. */
export const shownSettings = (): readonly object[] =>
  [...readFileSync(PAGE, "utf8").matchAll(/^```json\n([^`]*)```/gm)].map(([, text = ""]) => JSON.parse(text));

function rowOf(name: string): string {
  const schema = settingsSchema.shape[name as keyof typeof settingsSchema.shape];
  const variable = variableOf(name);
  const cells = [
    variable === undefined ? "–" : `\`${variable}\``,
    `\`${fileKeyOf(name)}\``,
    defaultText(schema),
    descriptionOf(schema),
  ];
  return `| ${cells.join(" | ")} |`;
}

function defaultText(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined);
  const value: unknown = parsed.success ? parsed.data : undefined;
  if (value === undefined) return "–";
  const text = Array.isArray(value) ? value.join(", ") : typeof value === "object" ? "" : String(value);
  return text === "" ? "none" : `\`${text.replaceAll(`${PACKAGE_ROOT}/`, "<package>/")}\``;
}

const keysOf = (schema: z.ZodObject): readonly string[] =>
  Object.entries(schema.shape).map(
    ([key, field]) => `| \`${key}\` | ${field.isOptional() ? "no" : "yes"} | ${descriptionOf(field)} |`,
  );

function descriptionOf(schema: z.ZodType): string {
  const description = schema.meta()?.description ?? schema.description;
  if (description === undefined) throw new Error("every setting has a description");
  return description;
}
