import { describe, expect, it } from "vitest";
import type { Router } from "../../../src/engine/router/router.js";
import { measureLatency } from "../../../src/workbench/evaluation/latency.js";

const REFERENCE_MS = 0.1;
const TEXTS = Array.from({ length: 36 }, (_, index) => `prompt ${index}`);

/** Looking at the clock takes the time of the reference, a decision a time of its own beyond that. */
function measure(decisionMs: (text: string, decision: number) => number, texts: readonly string[] = TEXTS) {
  let now = 0;
  let decided = 0;
  const route = (async ({ messages }: { messages: readonly { content: string }[] }) => {
    now += decisionMs(messages[0]?.content ?? "", decided++);
  }) as unknown as Router["route"];
  const clock = () => {
    now += REFERENCE_MS;
    return now;
  };
  return measureLatency({ route }, texts, { costWeight: 0.3, models: ["a", "b"], clock });
}

describe("The latency of decisions", () => {
  it("is a multiple of the reference, over all prompts", async () => {
    const { medianUs, ratio } = await measure((text) => (text.endsWith("0") ? 1.3 : 0.1));
    // Four prompts of 36 take 1.4 ms, the others 0.2.
    expect(ratio.value).toBeCloseTo((4 * 14 + 32 * 2) / 36);
    expect([ratio.low, ratio.high]).toEqual([expect.closeTo(ratio.value), expect.closeTo(ratio.value)]);
    expect(medianUs).toBeCloseTo(200);
  });

  it("hardly changes when four of five decisions are disturbed", async () => {
    const quiet = await measure(() => 0.2);
    const busy = await measure((_, decision) => 0.2 + (decision % 5 === 0 ? 0 : 0.1 + (decision % 7)));
    expect(busy.medianUs).toBeGreaterThan(2 * quiet.medianUs);
    expect(busy.ratio.value / quiet.ratio.value).toBeLessThan(1.05);
  });

  it("ignores the decisions during which the code is compiled", async () => {
    const { medianUs } = await measure((_, decision) => (decision < 10 * TEXTS.length ? 9 : 0.2));
    expect(medianUs).toBeCloseTo(300);
  });

  it("takes forty prompts, spread over all, or the only one", async () => {
    const seen = new Set<string>();
    await measure(
      (text) => {
        seen.add(text);
        return 0.2;
      },
      Array.from({ length: 1000 }, (_, index) => String(index)),
    );
    expect(seen.size).toBe(40);
    expect([...seen].slice(0, 3)).toEqual(["0", "25", "50"]);
    expect((await measure(() => 0.2, ["only one"])).ratio.value).toBeCloseTo(3);
  });
});
