import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SavedCounters } from "../../../../src/gateway/access/limits/saved-counters.js";
import {
  budgetAccount,
  PERIODS,
  periodAt,
  periodOf,
} from "../../../../src/gateway/access/limits/spend-period.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { FakeClock } from "../../../fakes/clock.js";
import { folderForTest } from "../../../support/folders.js";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "America/Santiago",
];
const at = (text: string): { nowMs: number } => ({ nowMs: Date.parse(text) });
const spanOf = ({ name, startMs, endMs }: ReturnType<typeof periodOf>) => [
  name,
  new Date(startMs).toISOString(),
  new Date(endMs).toISOString(),
];

describe("A period of spending", () => {
  it("is a day, a week from Monday or a month of the calendar in its zone", () => {
    const noon = at("2026-11-26T23:30:00Z");
    expect(PERIODS.map((kind) => spanOf(periodOf(kind, "Europe/Berlin", noon)))).toEqual([
      ["2026-11-27", "2026-11-26T23:00:00.000Z", "2026-11-27T23:00:00.000Z"],
      ["2026-11-23", "2026-11-22T23:00:00.000Z", "2026-11-29T23:00:00.000Z"],
      ["2026-11", "2026-10-31T23:00:00.000Z", "2026-11-30T23:00:00.000Z"],
    ]);
    expect(periodOf("day", "UTC", noon).name).toBe("2026-11-26");
  });

  it("follows the one before without gap or overlap, and contains its time, in any zone", () => {
    const some = fc.record({
      kind: fc.constantFrom(...PERIODS),
      zone: fc.constantFrom(...ZONES),
      nowMs: fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }),
    });
    fc.assert(
      fc.property(some, ({ kind, zone, nowMs }) => {
        const period = periodOf(kind, zone, { nowMs });
        expect(period.startMs).toBeLessThanOrEqual(nowMs);
        expect(period.endMs).toBeGreaterThan(nowMs);
        const next = periodOf(kind, zone, { nowMs: period.endMs });
        expect(next.startMs).toBe(period.endMs);
        expect(next.name > period.name).toBe(true);
        expect(periodOf(kind, zone, { nowMs: period.startMs })).toEqual(period);
      }),
      { numRuns: 100 },
    );
  });

  it("of a budget is in the name of its account; keys and tokens have the month, UTC", () => {
    const nowMs = Date.parse("2026-11-30T23:30:00Z");
    const berlin = { period: "month", timeZone: "Europe/Berlin" } as const;
    const account = budgetAccount({ ...berlin, name: "teams", value: "a:b" });
    expect(periodAt(account, nowMs).name).toBe("2026-12");
    for (const principal of ["key_ada", "jwt:budget:day", "anonymous"])
      expect(periodAt(principal, nowMs).name).toBe("2026-11");
  });
});

describe("What a budget has spent", () => {
  const day = budgetAccount({ period: "day", timeZone: "Asia/Kolkata", name: "teams", value: "search" });
  const week = budgetAccount({ period: "week", timeZone: "UTC", name: "weekly", value: "search" });
  const limits = { requests: null, tokens: null, nanoUsd: 1_000 };

  const opened = (folder: string, clock: FakeClock): SavedCounters =>
    SavedCounters.open({
      store: new SqliteStore(folder, { now: clock.now, timers: clock }),
      now: clock.now,
      timers: clock,
      log: new FakeAccessLog(),
    });

  it("outlives restarts and ends of months, and is forgotten with its period", async () => {
    const folder = folderForTest();
    // Saturday the 31st, 20:00 UTC: the week goes on, in Kolkata it is Sunday the 1st.
    const clock = new FakeClock(Date.parse("2026-01-31T20:00:00Z"));
    let counters = opened(folder, clock);
    for (const principal of [day, week, "key_ada"])
      counters.claim({ principal, limits, tokens: 0, nanoUsd: 700 });
    // Killed: nothing was closed.
    counters = opened(folder, clock);
    const used = () => [day, week, "key_ada"].map((principal) => counters.used(principal).nanoUsd);
    expect(used()).toEqual([700, 700, 700]);
    await counters.close();
    clock.advance(5 * 3_600_000);
    counters = opened(folder, clock);
    expect(used()).toEqual([700, 700, 0]);
    expect(counters.claim({ principal: week, limits, tokens: 0, nanoUsd: 400 }).refusedBy).toBe("budget");
    clock.advance(24 * 3_600_000);
    expect(used()).toEqual([0, 0, 0]);
    await counters.close();
  });
});
