import { describe, expect, it } from "vitest";
import { audit } from "../../chaos/audit.js";
import { CallLog } from "../../chaos/call-log.js";
import { type Outcome, Outcomes, outcomeOf } from "../../chaos/outcomes.js";
import type { BilledCall } from "../../ledger/faults.js";

const call = (request: number, changes: Partial<BilledCall> = {}): BilledCall => ({
  ...{ request, fault: "none", billed: 5000, reported: 5000 },
  ...changes,
});
const trace = (request: number, nanoUsd = 5000): string =>
  JSON.stringify({
    input_text: `request ${request} and so on`,
    cost_usd: nanoUsd / 1e9,
    attempts: [{ code: "ok", usage: { total_cost_usd: nanoUsd / 1e9 } }],
  });

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Requests from 0 on, that ended so, a second after each other. */
async function auditOf(ended: readonly Outcome[], lines: readonly string[], killsMs: readonly number[] = []) {
  const outcomes = new Outcomes(ended.length);
  const calls = new CallLog(ended.length);
  for (const [request, outcome] of ended.entries()) {
    outcomes.record(request, outcome, 1000 * request);
    if (outcome !== "refused by a limit") calls.record(call(request));
  }
  return audit(linesOf(lines), { calls, outcomes, killsMs });
}

describe("The audit of a run with kills", () => {
  it("finds nothing when every reply has its trace, and refused requests have none", async () => {
    const found = await auditOf(
      ["answered", "failed with an error of the API", "refused by a limit"],
      [trace(1), trace(0)],
    );
    expect(found).toMatchObject({ traces: 2, surplusTraces: 0, tracesMissing: 0, tracesLostToKills: 0 });
    expect(found.ledger.total).toMatchObject({ calls: 2, billed: 10_000, reported: 10_000, charged: 10_000 });
    expect([found.ledger.reportedMissing, found.ledger.unmatched, found.billedUntraced]).toEqual([0, 0, 0]);
  });

  it("finds a trace that is missing although nothing was killed soon after its reply", async () => {
    const found = await auditOf(["answered", "answered"], [trace(1)], [5000]);
    expect(found).toMatchObject({ tracesMissing: 1, missingMs: [5000], tracesLostToKills: 0 });
  });

  it("counts a trace as lost when a kill followed its reply within a second", async () => {
    const found = await auditOf(["answered", "answered"], [trace(1)], [40]);
    expect(found).toMatchObject({ tracesMissing: 0, tracesLostToKills: 1, oldestLostMs: 40 });
  });

  it("expects no trace of a request that a kill cut off, and counts one that there is", async () => {
    const found = await auditOf(["cut off by a kill", "cut off by a kill"], [trace(1)], [0]);
    expect(found).toMatchObject({ tracesMissing: 0, tracesLostToKills: 0, tracesOfCutOff: 1 });
  });

  it("finds a second trace of a request, and charges it once", async () => {
    const found = await auditOf(["answered"], [trace(0), trace(0)]);
    expect(found).toMatchObject({ traces: 2, surplusTraces: 1 });
    expect(found.ledger.total.charged).toBe(5000);
  });
});

describe("The outcome of a reply", () => {
  const error = { error: { code: "upstream_error", message: "m" }, request_id: "req_1" };
  const refused = { error: { code: "rate_limit_exceeded", message: "m" }, request_id: "req_1" };
  const event = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
  const cases: readonly (readonly [Outcome, number, string])[] = [
    ["answered", 200, JSON.stringify({ choices: [] })],
    ["answered", 200, event({ choices: [] }) + event("[DONE]")],
    ["failed with an error of the API", 502, JSON.stringify(error)],
    ["failed with an error of the API", 200, event({ choices: [] }) + event(error)],
    ["refused by a limit", 429, JSON.stringify(refused)],
    ["failed with an error of the API", 429, JSON.stringify(error)],
    ["answered with something else", 200, event({ choices: [] })],
    ["answered with something else", 200, ""],
    ["answered with something else", 500, "Internal Server Error"],
    ["answered with something else", 502, JSON.stringify({ error: "bad gateway" })],
  ];
  it.each(cases)("%s: %d %s", (outcome, status, text) => {
    expect(outcomeOf({ status, text })).toBe(outcome);
  });
});
