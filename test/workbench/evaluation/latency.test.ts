import { describe, expect, it } from "vitest";
import type { Router } from "../../../src/engine/router/router.js";
import { measureLatency } from "../../../src/workbench/evaluation/latency.js";

const REFERENCE_MS = 0.1;

/** A router and a clock: looking at the clock takes the time of the reference, a decision a time of its own beyond that. */
function timed(decisionMs: (text: string, decision: number) => number) {
  let now = 0;
  let decided = 0;
  const route = (async ({ messages }: { messages: readonly { content: string }[] }) => {
    now += decisionMs(messages[0]?.content ?? "", decided++);
  }) as unknown as Router["route"];
  const clock = () => {
    now += REFERENCE_MS;
    return now;
  };
  return { router: { route }, options: { costWeight: 0.3, models: ["a", "b"], clock } };
}

const measure = ({ router, options }: ReturnType<typeof timed>, texts: readonly string[]) =>
  measureLatency(router, texts, options);

const TEXTS = Array.from({ length: 36 }, (_, index) => `prompt ${index}`);

describe("The latency of decisions", () => {
  it("is a multiple of the reference, over all prompts", async () => {
    const { medianUs, ratio } = await measure(
      timed((text) => (text.endsWith("0") ? 1.3 : 0.1)),
      TEXTS,
    );
    // Four prompts of 36 take 1.4 ms, the others 0.2.
    expect(ratio.value).toBeCloseTo((4 * 14 + 32 * 2) / 36);
    expect([ratio.low, ratio.high]).toEqual([expect.closeTo(ratio.value), expect.closeTo(ratio.value)]);
    expect(medianUs).toBeCloseTo(200);
  });

  it("hardly changes when four of five decisions are disturbed", async () => {
    const quiet = await measure(
      timed(() => 0.2),
      TEXTS,
    );
    const busy = await measure(
      timed((_, decision) => 0.2 + (decision % 5 === 0 ? 0 : 0.1 + (decision % 7))),
      TEXTS,
    );
    expect(busy.medianUs).toBeGreaterThan(2 * quiet.medianUs);
    expect(busy.ratio.value / quiet.ratio.value).toBeLessThan(1.05);
  });

  it("ignores the decisions during which the code is compiled", async () => {
    const { medianUs } = await measure(
      timed((_, decision) => (decision < 10 * TEXTS.length ? 9 : 0.2)),
      TEXTS,
    );
    expect(medianUs).toBeCloseTo(300);
  });

  it("takes forty prompts, spread over all", async () => {
    const seen = new Set<string>();
    const texts = Array.from({ length: 1000 }, (_, index) => String(index));
    await measure(
      timed((text) => {
        seen.add(text);
        return 0.2;
      }),
      texts,
    );
    expect([...seen]).toHaveLength(40);
    expect([...seen].slice(0, 3)).toEqual(["0", "25", "50"]);
  });

  it("measures one prompt", async () => {
    const { ratio } = await measure(
      timed(() => 0.2),
      ["only one"],
    );
    expect(ratio.value).toBeCloseTo(3);
  });
});
