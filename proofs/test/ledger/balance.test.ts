import { describe, expect, it } from "vitest";
import { balance, type TracedRequest } from "../../ledger/balance.js";
import type { BilledCall } from "../../ledger/faults.js";

const call = (changes: Partial<BilledCall>): BilledCall => ({
  ...{ request: 1, fault: "none", reported: 2e9, billed: 2e9 },
  ...changes,
});
const traced = (attempts: TracedRequest["attempts"], cost_usd = 2): TracedRequest => ({
  input_text: "request 1",
  cost_usd,
  attempts,
});
const charged = (usd: number, code = "ok") => ({ code, usage: { total_cost_usd: usd } });

describe("The ledger balance", () => {
  it("compares each attempt with the upstream's call", () => {
    const bill = [call({ fault: "error with usage" }), call({})];
    const found = balance([traced([charged(2, "server_error"), charged(2)], 4)], bill);
    expect(found.byFault.get("error with usage")).toMatchObject({ calls: 1, charged: 2e9 });
    expect(found.total).toMatchObject({ calls: 2, billed: 4e9, charged: 4e9 });
    expect([found.reportedMissing, found.unmatched]).toEqual([0, 0]);
  });

  it("finds dollars that a reply reported and nobody was charged", () => {
    const bill = [call({ fault: "error with usage" }), call({})];
    const found = balance([traced([{ code: "server_error" }, charged(2)])], bill);
    expect(found.reportedMissing).toBe(2e9);
  });

  it("finds dollars that were charged and that no reply reported, estimates apart", () => {
    const bill = [call({ fault: "reply cut off", reported: 0 }), call({ reported: 1e9 })];
    const estimated = { code: "reply_invalid", usage: { total_cost_usd: 2, estimated: true as const } };
    const found = balance([traced([estimated, charged(2)], 4)], bill);
    expect([found.chargedUnreported, found.total.estimated]).toEqual([1e9, 2e9]);
  });

  it("ignores attempts that never reached the upstream, and counts missing ones", () => {
    const bill = [call({}), call({})];
    const found = balance(
      [traced([{ code: "connection_error" }, { code: "circuit_open" }, charged(2)])],
      bill,
    );
    expect(found.byFault.get("none")?.charged).toBe(2e9);
    expect(found.unmatched).toBe(1);
  });
});
