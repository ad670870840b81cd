import { join } from "node:path";
import type { ComposedServer } from "../../compose/compose.js";
import type { CreatedKey } from "../../gateway/access/keys/key-ring.js";
import type { ExampleChoice } from "../../gateway/inference/example-choice.js";
import type { Settings } from "../../gateway/settings/settings.js";

interface Started extends Pick<ComposedServer, "summary" | "example" | "recommended"> {
  readonly address: string;
  readonly firstKey: CreatedKey | undefined;
  readonly settings: Pick<
    Settings,
    | "auth"
    | "autoCostWeight"
    | "bootstrapApiKey"
    | "console"
    | "chEnabled"
    | "traceStore"
    | "traceContent"
    | "dataDir"
  >;
}

/** What `sextant serve` prints once it listens: the address, the key or how to make one, what is configured, what to try. */
export function announcement(started: Started): string {
  const { address, firstKey, summary, example, recommended, settings } = started;
  return [
    `sextant listening on ${address}`,
    ...keyLines(firstKey, settings),
    summary,
    tracesLine(settings),
    `\`model: "auto"\` weighs quality against cost at ${settings.autoCostWeight} (SEXTANT_AUTO_COST_WEIGHT; 0 ignores cost, 1 is the cheapest).${recommended === settings.autoCostWeight ? "" : ` Recommended for these profiles is ${recommended}.`}`,
    "",
    `Try:  ${exampleCommand(address, { example, settings })}`,
    ...(example?.isRunnable ? [`Ask:  ${autoCommand(address, { example, settings })}`] : []),
    ...(settings.console ? [`Open: ${address}/console for traces, routing and keys`] : []),
  ].join("\n");
}

function keyLines(firstKey: Started["firstKey"], { auth, bootstrapApiKey }: Started["settings"]): string[] {
  if (firstKey !== undefined) {
    return [
      "",
      "A first API key was made. It is shown this once. Paste this line into the terminal that sends requests:",
      "",
      `  export SEXTANT_API_KEY=${firstKey.key}`,
      "",
    ];
  }
  if (auth === "off" || bootstrapApiKey !== undefined) return [];
  return [
    "API keys were made before; they are not shown again. If yours is lost, make another one:",
    "  npx sextant keys create --name another --scopes admin",
  ];
}

/** Where the texts of prompts and answers go: who starts a gateway must know it. */
function tracesLine({ chEnabled, traceStore, traceContent, dataDir }: Started["settings"]): string {
  if (!chEnabled) return "Traces are not kept (SEXTANT_CH_ENABLED=true keeps them).";
  const store = traceStore === "duckdb" ? join(dataDir, "traces.duckdb") : "ClickHouse";
  const content = traceContent
    ? "with prompts and answers (SEXTANT_TRACE_CONTENT=false leaves them out)"
    : "without prompts and answers";
  return `Traces are kept in ${store}, ${content}: npx sextant traces tail shows them.`;
}

/** A decision among few models; the list of models where nothing can be decided. */
function exampleCommand(
  address: string,
  { example, settings }: Pick<Started, "example" | "settings">,
): string {
  const credentials = credentialsFor(settings);
  if (example === null) return `curl -s ${address}/v1/models${credentials}`;
  const body = {
    messages: [{ role: "user", content: "What is 2 + 2?" }],
    models: example.models,
    cost_weight: example.costWeight,
    execute: false,
  };
  return post(`${address}/v1/router`, { body, credentials });
}

/** An answer of whichever model is chosen. */
function autoCommand(
  address: string,
  { example, settings }: { readonly example: ExampleChoice } & Pick<Started, "settings">,
): string {
  const body = {
    model: "auto",
    router: { cost_weight: example.costWeight },
    messages: [{ role: "user", content: "What is 2 + 2?" }],
  };
  return post(`${address}/v1/chat/completions`, { body, credentials: credentialsFor(settings) });
}

const credentialsFor = ({ auth }: Pick<Settings, "auth">): string =>
  auth === "on" ? ' -H "x-api-key: $SEXTANT_API_KEY"' : "";

const post = (
  url: string,
  { body, credentials }: { readonly body: object; readonly credentials: string },
): string =>
  `curl -s ${url}${credentials} -H "content-type: application/json" ` +
  `-d '${JSON.stringify(body).replaceAll("'", "\\u0027")}'`;
