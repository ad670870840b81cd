/** One of several processes behind one port that answer requests. */

import { systemTimers } from "../foundation/timers.js";
import type { MessageTransport } from "../foundation/workers/rpc-channel.js";
import { connectToSupervisor, type SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { Settings } from "../gateway/settings/settings.js";
import { type ComposedServer, composeServer, type ServerSources } from "./compose.js";

export interface ComposedWorker {
  readonly supervisor: SupervisorConnection;
  compose(): Promise<ComposedServer>;
}

/** A worker of the supervisor at the other end of the channel. */
export function composeWorker(
  settings: Settings,
  sources: ServerSources,
  transport: MessageTransport,
): ComposedWorker {
  const { chEnabled: kept, traceContent: content, traceBufferRows: bufferTraces } = settings;
  const supervisor = connectToSupervisor(transport, {
    timers: systemTimers,
    traces: { kept, content, bufferTraces },
  });
  return { supervisor, compose: () => composeServer(shareOf(settings), { ...sources, supervisor }) };
}

/** What one of the workers may have of what the settings allow all of them together. */
function shareOf(settings: Settings): Settings {
  const share = (total: number): number => Math.ceil(total / settings.workers);
  return {
    ...settings,
    maxRequestsInFlight: share(settings.maxRequestsInFlight),
    upstreamMaxConnections: share(settings.upstreamMaxConnections),
  };
}
