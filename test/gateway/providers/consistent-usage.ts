import { expect } from "vitest";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";

/** Counts are whole numbers from 0 on, and no part is larger than what it is a part of. */
export function expectConsistent(usage: TokenUsage): void {
  const { promptTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens } = usage;
  const { completionTokens, reasoningTokens, hostedCalls = {} } = usage;
  const counts = [promptTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens];
  for (const count of [...counts, completionTokens, reasoningTokens, ...Object.values(hostedCalls)])
    expect(Number.isSafeInteger(count) && count >= 0, `${count}`).toBe(true);
  expect(cacheReadTokens + cacheWriteTokens).toBeLessThanOrEqual(promptTokens);
  expect(cacheWriteHourTokens).toBeLessThanOrEqual(cacheWriteTokens);
  expect(reasoningTokens).toBeLessThanOrEqual(completionTokens);
}
