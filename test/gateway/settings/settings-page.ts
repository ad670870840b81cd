import type { z } from "zod";
import {
  authSchema,
  deploymentSchema,
  priceSchema,
  providerKeySchema,
  providerModelSchema,
  providerSchema,
} from "../../../src/engine/catalog/entries.js";
import {
  installCommand,
  OPTIONAL_PACKAGES,
  type OptionalPackage,
  TELEMETRY_PACKAGES,
} from "../../../src/foundation/optional-package.js";
import { PACKAGE_ROOT } from "../../../src/foundation/package.js";
import { modelLimitSchema } from "../../../src/gateway/settings/areas/inference.js";
import { redactionSchema } from "../../../src/gateway/settings/areas/traces.js";
import {
  fileKeyOf,
  SETTING_AREAS,
  settingsSchema,
  variableOf,
} from "../../../src/gateway/settings/settings.js";

/** The text of docs/settings.md, made from the schema. */
export function settingsPage(): string {
  return `# Settings

Settings come from the environment, from a \`.env\` file in the working directory, and from a settings file; the first that
has a value wins. The settings file is the JSON file that \`SEXTANT_CONFIG\` names, or \`sextant.config.json\` in the working
directory if there is one. A key that is not in this list, or a value that cannot be used, stops the start with a message
that names it, its value and the remedy. An empty variable counts as not set.

${SETTING_AREAS.map(areaText).join("\n\n")}

## Another embedder

The embedder that ships with Sextant needs no further package, nor does a folder with a static model that
\`training/export.py\` wrote (a \`sextant\` block in \`config.json\`). A hub id, or a folder with a transformer, needs a
package and is refused with the command that installs it: \`npm install ${packageOf("@huggingface/transformers")}\` where
Sextant is installed. The ONNX runtime in it has an install script that downloads GPU libraries from outside the npm
registry and fails where they cannot be reached; Sextant does not use them: add \`--ignore-scripts\`. Profile sets belong
to the embedder that they were built with: build them again with the new one.

## Spans

Spans are exported when OpenTelemetry's own variables name an endpoint, in the environment or in \`.env\`; [what is in them](operations.md#spans). That needs packages which are not installed
with Sextant; without them, the start logs a warning with this command, and goes on:

\`\`\`sh
${installCommand(...TELEMETRY_PACKAGES)}
\`\`\`

| variable | default | |
|---|---|---|
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | – | Address of a collector, such as \`http://localhost:4318\`. Spans go to \`/v1/traces\` there, over HTTP as JSON. |
| \`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT\` | – | The whole address, in place of the one before. |
| \`OTEL_EXPORTER_OTLP_HEADERS\`, \`…_TIMEOUT\`, \`…_COMPRESSION\`, \`…_CERTIFICATE\` | | As [OpenTelemetry says](https://opentelemetry.io/docs/specs/otel/protocol/exporter/); so do \`OTEL_BSP_…\` and the limits of attributes. |
| \`OTEL_TRACES_SAMPLER\`, \`OTEL_TRACES_SAMPLER_ARG\` | \`parentbased_always_on\` | Which requests have spans: \`parentbased_traceidratio\` and \`0.05\` for one in twenty, and those that the caller samples. |
| \`OTEL_SERVICE_NAME\`, \`OTEL_RESOURCE_ATTRIBUTES\` | \`sextant\` | Name and attributes of this service. |
| \`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT\` | – | \`true\` or \`span_only\`: spans have prompts and answers, where traces have them and nothing is redacted. |
| \`OTEL_TRACES_EXPORTER=none\`, \`OTEL_SDK_DISABLED=true\` | | Switch spans off. |

## Providers, deployments and prices

These are lists and objects, so that they come from the file only. Decisions and requests use them: who serves a model, at which address,
with which key, under which name, and what it costs. [Providers](providers.md) has examples for each.

\`\`\`json
${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

${table("An entry of `providers`", providerSchema)}

${table("An entry of `keys`", providerKeySchema)}

${table("`auth`", authSchema)}

${table("An entry of `models`", providerModelSchema)}

${table("An entry of `deployments`", deploymentSchema)}

${table("A price", priceSchema)}

## Limits by model, provider and effort

\`model_limits\` is a list as well:

\`\`\`json
${JSON.stringify(LIMITS_EXAMPLE, null, 2)}
\`\`\`

${table("An entry of `model_limits`", modelLimitSchema)}

Of the entries that apply to a call, each limit is that of the most specific one that has it: a model counts more than a
provider, and a provider more than an effort; of equals the first. Here a streamed call of \`gpt-5.5\` at the effort \`high\` may take two minutes to its
first token, all other calls of \`gpt-5.5\` 20 seconds, and one of the two calls at once that \`ollama\` gets may be silent
for five. A stream that is stopped before its first content gives way to the next provider or fallback; after that it
ends with an error event. The attempt in the trace has the setting whose limit passed as \`limit\`, \`measured\` for
\`measured_timeouts\`.

## Redaction

\`trace_redact\` is a list too. Its patterns are applied one after the other, in the order of the list. They run in a thread
of their own with a time limit: a text on which they take longer is not kept at all, nor is one that comes while they are
that far behind.

${table("An entry of `trace_redact`", redactionSchema)}
`;
}

function packageOf(name: OptionalPackage): string {
  return `${name}@${OPTIONAL_PACKAGES[name]}`;
}

/** Checked by a test to be valid settings. */
export const LIMITS_EXAMPLE = {
  model_limits: [
    { model: "gpt-5.5", first_token_timeout_ms: 20_000, max_output_tokens: 16_000 },
    { model: "gpt-5.5", effort: "high", first_token_timeout_ms: 120_000 },
    { provider: "ollama", max_concurrency: 2, idle_timeout_ms: 5000 },
  ],
};

/** Checked by a test to be valid settings. */
export const EXAMPLE = {
  providers: [
    {
      id: "lab",
      type: "openai-compatible",
      base_url: "http://localhost:8000/v1",
      api_key_env: "LAB_KEY",
      models: [
        {
          id: "gpt-5.4-mini",
          upstream_model: "x",
          price: { input_usd_per_mtok: 0.75, cached_input_usd_per_mtok: 0.075, output_usd_per_mtok: 4.5 },
          context_tokens: 400_000,
        },
      ],
    },
  ],
  deployments: [{ name: "support-bot", provider: "lab", upstream_model: "y", profile: "gpt-5.4-mini" }],
  fallbacks: { "support-bot": ["gpt-5.4-mini"] },
  prices: { "my-model": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } },
};

function areaText({ title, settings }: (typeof SETTING_AREAS)[number]): string {
  const head = "| variable | in the file | default | |\n|---|---|---|---|";
  return `## ${title}\n\n${head}\n${Object.keys(settings).map(row).join("\n")}`;
}

function row(name: string): string {
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

function table(title: string, schema: z.ZodObject): string {
  const rows = Object.entries(schema.shape).map(
    ([key, field]) => `| \`${key}\` | ${field.isOptional() ? "no" : "yes"} | ${descriptionOf(field)} |`,
  );
  return `**${title}:**\n\n| key | required | |\n|---|---|---|\n${rows.join("\n")}`;
}

function descriptionOf(schema: z.ZodType): string {
  const description = schema.meta()?.description ?? schema.description;
  if (description === undefined) throw new Error("every setting has a description");
  return description;
}
