/** One of several processes behind one port that answer requests. */

import { type Crew, joinCrew } from "../cluster/crew.js";
import type { Channel } from "../cluster/link.js";
import { systemTimers } from "../foundation/timers.js";
import type { Settings } from "../settings/settings.js";
import { type ComposedServer, composeServer, type ServerSources } from "./compose.js";

export interface ComposedWorker {
  readonly crew: Crew;
  compose(): Promise<ComposedServer>;
}

/** A worker of the primary at the other end of the channel. */
export function composeWorker(settings: Settings, sources: ServerSources, channel: Channel): ComposedWorker {
  const { chEnabled: kept, traceContent: content, traceBufferRows: bufferTraces } = settings;
  const crew = joinCrew(channel, { timers: systemTimers, traces: { kept, content, bufferTraces } });
  return { crew, compose: () => composeServer(shareOf(settings), { ...sources, crew }) };
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
