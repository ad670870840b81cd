import { Command } from "commander";
import { type ComposedServer, composeServer } from "../compose.js";
import { loadSettings, readEnvironment, unknownVariables } from "../load-settings.js";
import { createLogger } from "../server/logger.js";
import type { Settings } from "../settings.js";
import { type CliContext, CommandFailure, writeLine } from "./context.js";
import { addEngineOptions, type EngineOptions, environmentWith } from "./engine-options.js";

/** `sextant serve`: the HTTP server until the process is asked to stop. */
export function serveCommand(context: CliContext): Command {
  const command = new Command("serve").description(
    "run the HTTP server; its settings are in docs/settings.md",
  );
  return addEngineOptions(command)
    .action((options: EngineOptions) => serve(options, context))
    .addHelpText(
      "after",
      "\nExamples:\n  $ sextant serve\n  $ SEXTANT_PORT=9000 SEXTANT_DATA_DIR=/var/lib/sextant sextant serve",
    );
}

async function serve(options: EngineOptions, context: CliContext): Promise<void> {
  const environment = readEnvironment(environmentWith(options, context), context);
  const settings = loadSettings(environment, context);
  for (const { variable, nearest } of unknownVariables(context.environment)) {
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    await writeLine(context.stderr, `sextant: ${variable} is not a setting and does nothing.${hint}`);
  }
  const logger = createLogger(settings.logLevel, { write: (line) => context.stderr.write(line) });
  const server = await composeServer(settings, { logger, environment, openRouter: context.openRouter });
  for (const note of server.notes) await writeLine(context.stderr, `sextant: ${note}`);
  try {
    const address = await listen(server, settings);
    await announce(context, { address, server, settings });
    await stopSignal(context.signal);
  } finally {
    await server.stop();
  }
}

async function listen(server: ComposedServer, { host, port }: Settings): Promise<string> {
  try {
    return await server.start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = LISTEN_FAULTS[String(code)];
    if (reason === undefined) throw error;
    throw new CommandFailure(`cannot listen on ${host}:${port}: ${reason}`);
  }
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "the port is in use. Stop the other process, or set SEXTANT_PORT to another port (0 for any free one).",
  EACCES: "the system does not allow it. Set SEXTANT_PORT to 1024 or above.",
  EADDRNOTAVAIL: "the address is not one of this machine. Set SEXTANT_HOST to one that is.",
  ENOTFOUND: "the host name cannot be resolved. Set SEXTANT_HOST to an address of this machine.",
};

interface Announcement {
  readonly address: string;
  readonly server: ComposedServer;
  readonly settings: Settings;
}

async function announce({ stdout }: CliContext, { address, server, settings }: Announcement): Promise<void> {
  await writeLine(stdout, `sextant listening on ${address}`);
  if (server.firstKey !== undefined) {
    await writeLine(
      stdout,
      `\nA first API key was made. It is shown this once:\n\n  ${server.firstKey.key}\n`,
    );
  }
  const providers = server.enabledProviders;
  await writeLine(
    stdout,
    providers.length > 0
      ? `Requests can run on: ${providers.join(", ")}\n`
      : "No provider is configured: decisions only. Set a key such as OPENAI_API_KEY, or SEXTANT_SANDBOX=true to try\n" +
          "execution and streams without one.\n",
  );
  const key = server.firstKey?.key ?? "$SEXTANT_API_KEY";
  const credentials = settings.auth === "on" ? `-H "x-api-key: ${key}" ` : "";
  await writeLine(
    stdout,
    `Try:  curl -s ${address}/v1/router ${credentials}-H "content-type: application/json" ` +
      `-d '{"messages":[{"role":"user","content":"What is 2 + 2?"}],"cost_weight":0.3,"execute":false}'`,
  );
}

function stopSignal(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
