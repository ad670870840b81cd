/** What the overview works out by itself, without a browser. */
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { dimensionNamed, dimensionTitle, filterOf } from "../../src/console/api/dimensions.js";
import { chosenRange, rangeNamed, startOf, stepsOf } from "../../src/console/charts/ranges.js";
import { csvOf } from "../../src/console/components/csv.js";
import { clockTime, momentOf, zoneOffsets } from "../../src/foundation/time-zone.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("A dimension in an address", () => {
  it("is one of the gateway's or a metadata key, with or without its prefix", () => {
    expect([null, "", "key", "day", "team", "metadata.team", "metadata.key"].map(dimensionNamed)).toEqual([
      ...["model", "model", "key", "day", "metadata.team", "metadata.team", "metadata.key"],
    ]);
    expect([filterOf("model"), filterOf("preset"), filterOf("metadata.a b")]).toEqual([
      "model_id",
      null,
      "metadata.a b",
    ]);
    expect([dimensionTitle("metadata.team"), dimensionTitle("day")]).toEqual(["team", "day"]);
  });
});

describe("The steps of a range, on the clock here,", () => {
  afterEach(() => void vi.unstubAllEnvs());
  const ZONES = ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"];

  it("begin when those of the API do, whatever the zone and the time", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
        fc.constantFrom("24h", "7d", "30d", "chosen"),
        fc.integer({ min: 3, max: 300 }),
        (timeZone, now, name, days) => {
          vi.stubEnv("TZ", timeZone);
          const range = name === "chosen" ? chosenRange(now - days * DAY, now) : rangeNamed(name);
          if (range === undefined) throw new Error("there is a range");
          const startMs = startOf(range, now);
          const starts = stepsOf(startMs, range, now).map((seconds) => seconds * 1000);
          const span = { fromMs: startMs - DAY, toMs: startMs + range.lengthMs + 2 * DAY };
          const offsets = range.stepMs > HOUR ? zoneOffsets(timeZone, span) : [];
          const origin = clockTime(startMs, offsets);
          expect(starts).toEqual(starts.map((_, at) => momentOf(origin + at * range.stepMs, offsets)));
          const last = starts.at(-1) ?? 0;
          // Now is in the last step, or what was chosen ends with it.
          expect(now >= last && (range.endMs ?? now) <= last + range.stepMs + HOUR).toBe(true);
        },
      ),
    );
  });

  it("are counted from midnight where the clock skips that of the first one, which begins a step earlier then", () => {
    vi.stubEnv("TZ", "America/Santiago");
    const hours = (now: string) => {
      const range = rangeNamed("7d");
      const starts = stepsOf(startOf(range, Date.parse(now)), range, Date.parse(now));
      return [starts.length, ...starts.slice(0, 4).map((seconds) => new Date(seconds * 1000).getHours())];
    };
    expect(hours("2026-09-12T23:00Z")).toEqual([56, 21, 1, 3, 6]);
    expect(hours("2026-09-13T01:00Z")).toEqual([57, 21, 1, 3, 6]);
    expect(hours("2026-09-13T04:00Z")).toEqual([56, 3, 6, 9, 12]);
  });

  it("are days from midnight to midnight, of 23 and 25 hours where the clock changes", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const hours = (now: string) => {
      const range = rangeNamed("30d");
      const starts = stepsOf(startOf(range, Date.parse(now)), range, Date.parse(now));
      expect(new Set(starts.map((seconds) => new Date(seconds * 1000).getHours()))).toEqual(new Set([0]));
      return new Set(starts.slice(1).map((start, at) => (start - (starts[at] ?? 0)) / 3600));
    };
    expect(hours("2026-04-10T12:00Z")).toEqual(new Set([24, 23]));
    expect(hours("2026-11-10T12:00Z")).toEqual(new Set([24, 25]));
    expect(hours("2026-07-10T12:00Z")).toEqual(new Set([24]));
  });
});

describe("A table as CSV", () => {
  it("has a line of names and one of each row, with texts that spreadsheets do not run", () => {
    const columns = [
      { values: [{ name: "model", of: ({ name }: { name: string | null }) => name }] },
      {},
      { values: [{ name: "usd", of: () => 0.5 }] },
    ];
    const rows = ["plain", 'a "b", c', "=1+1", "-x", null, "two\nlines"].map((name) => ({ name }));
    const names = ["plain", '"a ""b"", c"', "'=1+1", "'-x", "", '"two\nlines"'];
    expect(csvOf({ columns, rows })).toBe(
      ["model,usd", ...names.map((name) => `${name},0.5`), ""].join("\r\n"),
    );
  });
});
