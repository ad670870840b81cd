import { systemTimers } from "../../../src/foundation/timers.js";
import { openResponses, type ResponseMemory } from "../../../src/gateway/conversations/stored-responses.js";

/** Responses in memory. */
export const responsesForTest = (): ResponseMemory =>
  openResponses(
    { responseItemsMaxBytes: 1_000_000, traceContent: true },
    { store: undefined, now: Date.now, timers: systemTimers },
  );
