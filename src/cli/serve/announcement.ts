import type { ComposedServer } from "../../compose/compose.js";
import type { Settings } from "../../settings/settings.js";

interface Started extends Pick<ComposedServer, "firstKey" | "summary" | "example"> {
  readonly address: string;
  readonly settings: Pick<Settings, "auth" | "bootstrapApiKey" | "console">;
}

/** What `sextant serve` prints once it listens: the address, the key or how to make one, what is configured, what to try. */
export function announcement({ address, firstKey, summary, example, settings }: Started): string {
  return [
    `sextant listening on ${address}`,
    ...keyLines(firstKey, settings),
    summary,
    "",
    `Try:  ${exampleCommand(address, { example, settings })}`,
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

/** A decision among few models; the list of models where nothing can be decided. */
function exampleCommand(
  address: string,
  { example, settings }: Pick<Started, "example" | "settings">,
): string {
  const credentials = settings.auth === "on" ? ' -H "x-api-key: $SEXTANT_API_KEY"' : "";
  if (example === null) return `curl -s ${address}/v1/models${credentials}`;
  const body = {
    messages: [{ role: "user", content: "What is 2 + 2?" }],
    models: example.models,
    cost_weight: example.costWeight,
    execute: false,
  };
  return (
    `curl -s ${address}/v1/router${credentials} -H "content-type: application/json" ` +
    `-d '${JSON.stringify(body).replaceAll("'", "\\u0027")}'`
  );
}
