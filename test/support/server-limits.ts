import type { ServerDependencies } from "../../src/gateway/server/dependencies.js";

type ServerLimits = ServerDependencies["limits"];

/** Limits of a server under test, small enough to be reached; `changed` replaces some of them. */
export const serverLimits = (changed: Partial<ServerLimits> = {}): ServerLimits => ({
  auth: "on",
  autoCostWeight: 0.2,
  compressMinBytes: 16_384,
  maxBodyBytes: 4096,
  maxBodyValues: 1000,
  maxDiscardedBytes: 100_000,
  maxMessages: 8,
  maxQueueMs: 1000,
  maxRequestsInFlight: 16,
  presets: [],
  streamKeepAliveMs: 15_000,
  clientStallTimeoutMs: 60_000,
  traceBufferBytes: 134_217_728,
  traceMaxConversationRequests: 5,
  traceMaxSample: 500,
  ...changed,
});
