import { describe, expect, it } from "vitest";
import { audit } from "../../chaos/audit.js";
import { CallLog } from "../../chaos/call-log.js";
import { type ChaosRun, figuresOf } from "../../chaos/figures.js";
import { Minutes } from "../../chaos/minutes.js";
import { Outcomes } from "../../chaos/outcomes.js";

async function* nothing(): AsyncGenerator<string> {}

/** A run of one answered request. */
async function runWith(changes: Partial<ChaosRun> = {}): Promise<ChaosRun> {
  const outcomes = new Outcomes(1);
  outcomes.record(0, "answered", 10);
  const findings = await audit(nothing(), { calls: new CallLog(1), outcomes, killsMs: [] });
  return {
    outcomes,
    traffic: { started: 1, kills: [], minutes: { requests: new Minutes(), tokens: new Minutes() } },
    seconds: 1,
    findings,
    spent: { all: 0, dollars: 0 },
    mostReserved: 100,
    aloneSeconds: 0,
    ...changes,
  };
}

const missed = async (run: Promise<ChaosRun>): Promise<string[]> =>
  figuresOf(await run)
    .filter(({ better, value }) => better === "lower" && value !== null && value > 0)
    .map(({ id }) => id);

describe("The figures of a run with kills count what must not be", () => {
  it("for a trace that is missing", async () => {
    expect(await missed(runWith())).toEqual(["chaos/traces/missing"]);
  });

  it("for a request without any outcome", async () => {
    const { traffic } = await runWith();
    expect(await missed(runWith({ traffic: { ...traffic, started: 2 } }))).toContain(
      "chaos/requests/unexplained",
    );
  });

  it("for budgets that count less than the traces, or more than kills explain", async () => {
    expect(await missed(runWith({ spent: { all: 1, dollars: 0 } }))).toContain("chaos/budget/unexplained");
    expect(await missed(runWith({ spent: { all: -1, dollars: 0 } }))).toContain("chaos/budget/unexplained");
  });

  it("for a minute with more than its limit, and one that refused requests before it", async () => {
    const minutes = { requests: new Minutes(), tokens: new Minutes() };
    Object.assign(minutes.requests.at(60_000), { requests: 61 });
    Object.assign(minutes.requests.at(120_000), { requests: 58, cutOff: 1, refused: 1 });
    Object.assign(minutes.tokens.at(60_000), { tokens: 2001 });
    const traffic = { started: 1, kills: [], minutes };
    expect(await missed(runWith({ traffic }))).toEqual(
      expect.arrayContaining([
        "chaos/limits/requests/over",
        "chaos/limits/requests/early",
        "chaos/limits/tokens/over",
      ]),
    );
  });

  it("for a budget that was overspent", async () => {
    expect(await missed(runWith({ spent: { all: 2000, dollars: 2000 } }))).toContain(
      "chaos/limits/dollars/over",
    );
  });
});
