import type { ComposedServer } from "../../compose/compose.js";
import type { CreatedKey } from "../../gateway/access/keys/key-ring.js";
import type { Settings } from "../../gateway/settings.js";

interface Started extends Pick<ComposedServer, "providers" | "example"> {
  readonly address: string;
  readonly firstKey: CreatedKey | undefined;
  readonly settings: Pick<Settings, "auth" | "bootstrapApiKey" | "console" | "chEnabled" | "traceContent">;
}

/** What `sextant serve` prints once it listens: its address, the console, the key, the providers and one request to try. */
export function announcement({ address, firstKey, providers, example, settings }: Started): string {
  return [
    `sextant listening on ${address}`,
    ...(settings.console ? [`Console:   ${address}/console (${contentOfConsole(settings)})`] : []),
    ...keyLines(firstKey, settings),
    `Providers: ${providers}`,
    `Try:       ${exampleCommand(address, example, settings)}`,
  ].join("\n");
}

/** Names the texts of prompts and answers where they are kept: whoever starts a gateway must know. */
function contentOfConsole({ chEnabled, traceContent }: Started["settings"]): string {
  if (!chEnabled) return "decisions and keys";
  return traceContent ? "traces with prompts and answers, decisions, keys" : "traces, decisions, keys";
}

function keyLines(firstKey: Started["firstKey"], { auth, bootstrapApiKey }: Started["settings"]): string[] {
  if (firstKey !== undefined) {
    return [
      "API key:   shown only now. Paste this line into the terminal that sends requests:",
      "",
      `  export SEXTANT_API_KEY=${firstKey.key}`,
      "",
    ];
  }
  if (auth === "off") return ["API key:   not needed (SEXTANT_AUTH=off)"];
  if (bootstrapApiKey !== undefined) return ["API key:   the value of SEXTANT_BOOTSTRAP_API_KEY"];
  return [
    "API key:   the one printed at the first start. To make another: npx sextant keys create --name another --scopes admin",
  ];
}

/** A request to `auto` where a provider answers, else a decision among few models, else the list of models. */
function exampleCommand(
  address: string,
  example: Started["example"],
  { auth }: Pick<Settings, "auth">,
): string {
  const credentials = auth === "on" ? ' -H "x-api-key: $SEXTANT_API_KEY"' : "";
  if (example === null) return `curl -s ${address}/v1/models${credentials}`;
  const messages = [{ role: "user", content: "What is 2 + 2?" }];
  const [path, body] = example.isRunnable
    ? ["/v1/chat/completions", { model: "auto", messages }]
    : ["/v1/router", { messages, models: example.models, cost_weight: example.costWeight, execute: false }];
  const json = JSON.stringify(body).replaceAll("'", "\\u0027");
  return `curl -s ${address}${path}${credentials} -H "content-type: application/json" -d '${json}'`;
}
