import type { ServerDependencies } from "../../src/gateway/dependencies.js";

type ServerLimits = ServerDependencies["limits"];

/** Limits of a server under test, small enough to be reached; `changed` replaces some of them. */
export const serverLimits = (changed: Partial<ServerLimits> = {}): ServerLimits => ({
  agentRules: [],
  auth: "on",
  autoCostWeight: 0.2,
  maxBodyBytes: 4096,
  maxMessages: 8,
  maxQueueMs: 1000,
  maxRequestsInFlight: 16,
  presets: [],
  stickyMetadataKey: "conversation_id",
  traceBufferBytes: 134_217_728,
  ...changed,
});
