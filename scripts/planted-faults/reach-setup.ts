import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

/** Runs in front of each test file: writes down which planted places its tests reach. */
const seen = new Set<number>();
Object.assign(globalThis, { __reached: (fault: number) => seen.add(fault) });

const out = process.env.PLANTED_FAULTS_REACH;
afterAll(() => {
  if (out)
    appendFileSync(out, `${JSON.stringify({ test: expect.getState().testPath, faults: [...seen] })}\n`);
});
