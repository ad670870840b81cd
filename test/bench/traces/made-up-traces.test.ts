import { beforeAll, describe, expect, it } from "vitest";
import { MadeUpTraces, RARE_EVERY, RARE_TEXT } from "../../../bench/traces/made-up-traces.js";
import { makeTexts } from "../../../bench/traces/texts.js";
import { timeOfRequestId } from "../../../src/gateway/traces/request-time.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import { promptText } from "../../../src/gateway/traces/trace-messages.js";

const ROWS = 20_000;
const texts = {
  prompts: makeTexts({ count: 2048, median: 400, spread: 0.8, seed: 11 }),
  answers: makeTexts({ count: 2039, median: 600, spread: 0.8, seed: 12 }),
};
const source = (seed = 1) => new MadeUpTraces({ seed, rows: ROWS, texts });

let traces: Trace[] = [];
beforeAll(() => {
  traces = source().take(ROWS);
});

describe("Synthetic traces", () => {
  it("are the same for the same seed, in any order of access, and differ between seeds", () => {
    const again = source();
    expect([...again.take(7), ...again.take(93)]).toEqual(traces.slice(0, 100));
    expect(source(2).take(100)).not.toEqual(traces.slice(0, 100));
  });

  it("have unique ids that contain their time", () => {
    expect(new Set(traces.map(({ requestId }) => requestId)).size).toBe(ROWS);
    const isRight = ({ requestId, createdAtMs }: Trace) =>
      /^req_[0-9A-HJKMNP-TV-Z]{26}$/.test(requestId) && timeOfRequestId(requestId) === createdAtMs;
    expect(traces.filter((trace) => !isRight(trace))).toEqual([]);
  });

  it("contain the rare text in every n-th row and nowhere else", () => {
    const rare = traces.filter(({ content }) => promptText(content?.input ?? []).includes(RARE_TEXT)).length;
    expect(rare).toBe(Math.ceil(ROWS / RARE_EVERY));
    expect(traces.some(({ content }) => content?.output.includes(RARE_TEXT))).toBe(false);
  });
});
