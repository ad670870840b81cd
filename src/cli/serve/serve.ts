import type { ComposedServer } from "../../compose/compose.js";
import { limitHeapGrowth } from "../../foundation/heap-growth.js";
import { createPrivately, makePrivate } from "../../foundation/private-folder.js";
import { createLogger, lockFolder, SettingsSource } from "../../gateway/index.js";
import { command, type OptionsOf } from "../command.js";
import { type CliContext, writeLine } from "../context.js";
import { ENGINE_OPTIONS, environmentWith } from "../engine-options.js";
import { announcement } from "./announcement.js";
import { listen } from "./listen.js";

/** `sextant serve`: the HTTP server until the process is asked to stop. */
export const serveCommand = command("serve", {
  about: "run the HTTP server; its settings are in docs/settings.md",
  options: ENGINE_OPTIONS,
  help: "SIGHUP loads settings and profile sets again, SIGTERM and SIGINT stop the server.",
  examples: ["sextant serve", "SEXTANT_PORT=9000 SEXTANT_DATA_DIR=/var/lib/sextant sextant serve"],
  run: serve,
});

async function serve(options: OptionsOf<typeof ENGINE_OPTIONS>, context: CliContext): Promise<void> {
  limitHeapGrowth();
  createPrivately();
  const source = new SettingsSource(environmentWith(options, context), context);
  const { settings, environment } = source.current;
  const logger = createLogger(settings.logLevel, { write: (line) => context.stderr.write(line) });
  const sources = { logger, environment, source, openRouter: context.openRouter };
  let server: ComposedServer | undefined;
  context.onHangup(() => void server?.reload());
  // Spending, traces and lengths have one writer.
  const lock = await lockFolder(settings.dataDir);
  const openToOthers = await makePrivate(settings.dataDir);
  for (const problem of [lock.problem, openToOthers])
    if (problem !== undefined) await writeLine(context.stderr, `sextant: ${problem}`);
  try {
    const { composeServer } = await import("../../compose/compose.js");
    server = await composeServer(settings, sources);
    const address = await listen(server, settings);
    // Requests are answered whether or not anyone reads this.
    const say = (output: CliContext["stdout"], text: string) => writeLine(output, text).catch(() => {});
    for (const note of server.notes) await say(context.stderr, `sextant: ${note}`);
    const firstKey = await server.makeFirstKey();
    const { providers, example } = server;
    await say(context.stdout, announcement({ address, firstKey, providers, example, settings }));
    server.warmUp();
    await stopSignal(context.signal);
  } finally {
    await server?.stop();
    lock.release();
  }
}

function stopSignal(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
