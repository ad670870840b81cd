import {
  LocalResponses,
  type LocalResponsesOptions,
} from "../../../src/gateway/conversations/local-responses.js";
import type { ResponseMemory } from "../../../src/gateway/conversations/response-memory.js";

export const RESPONSE_SETTINGS: LocalResponsesOptions["settings"] = {
  responseItemsMaxBytes: 1_000_000,
};

/** Responses in memory, at a time that stands still unless told otherwise. */
export const memoryForTest = (options: Partial<LocalResponsesOptions> = {}): ResponseMemory =>
  LocalResponses.inMemory({ settings: RESPONSE_SETTINGS, now: () => 0, ...options });
