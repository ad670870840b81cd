import type { ComposedServer, ServerSources } from "../../compose/compose.js";
import { composeWorker } from "../../compose/worker-process.js";
import type { MessageTransport } from "../../foundation/workers/rpc-channel.js";
import type { Settings } from "../../gateway/settings/settings.js";
import { listen } from "./listen.js";

/**
 * Answers requests until the supervisor process says that it is enough. Prints nothing: what there is to say goes to the supervisor.
 * Signals are the supervisor's business, too: a terminal sends them to all processes at once.
 */
export async function serveAsWorker(
  settings: Settings,
  sources: ServerSources,
  transport: MessageTransport,
): Promise<void> {
  const { supervisor, compose } = composeWorker(settings, sources, transport);
  let server: ComposedServer | undefined;
  try {
    server = await compose();
    const address = await listen(server, settings);
    const { summary, example, notes } = server;
    await supervisor.ready({ address, summary, example, notes });
    void server.warmUp();
    await supervisor.stopped;
  } catch (error) {
    await supervisor.failed(error instanceof Error ? error.message : String(error));
  } finally {
    await server?.stop();
  }
}
