import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usedUpForMs } from "../../../../src/gateway/providers/http/retry-after.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("Limits that a reply says are used up", () => {
  it.each([
    ["1s", 1000],
    ["6m0s", 360_000],
    ["120ms", 120],
    ["2m59.56s", 179_560],
    ["1h2m3s", 3_723_000],
    ["12", 12_000],
  ])("read OpenAI's, Groq's and Azure's time %s", (reset, expected) => {
    const headers = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": reset };
    expect(usedUpForMs(headers, NOW)).toBeCloseTo(expected);
  });

  it("read Anthropic's moment", () => {
    const name = "anthropic-ratelimit-output-tokens";
    const headers = { [`${name}-remaining`]: "0", [`${name}-reset`]: "2026-01-01T00:00:20Z" };
    expect(usedUpForMs(headers, NOW)).toBe(20_000);
    expect(usedUpForMs(headers, NOW + 20_000)).toBeNull();
  });

  it("are the one that lasts longest, and none where something is left or is not counted", () => {
    const requests = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s" };
    const tokens = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "3s" };
    expect(usedUpForMs({ ...requests, ...tokens }, NOW)).toBe(3000);
    for (const left of ["1", "-1"])
      expect(usedUpForMs({ ...requests, "x-ratelimit-remaining-requests": left }, NOW)).toBeNull();
    expect(usedUpForMs({}, NOW)).toBeNull();
  });

  it("are a time above 0 or none, whatever the header says", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9hms.]{0,12}$/)), (reset) => {
        const headers = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset };
        const leftMs = usedUpForMs(headers, NOW);
        expect(leftMs === null || (leftMs > 0 && Number.isFinite(leftMs))).toBe(true);
      }),
    );
  });
});
