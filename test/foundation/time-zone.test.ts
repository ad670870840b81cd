import { describe, expect, it } from "vitest";
import { clockTime, momentOf, zoneOffsets } from "../../src/foundation/time-zone.js";

const HOUR = 3_600_000;
const year = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2027, 0, 1) };
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

describe("The clock of a time zone", () => {
  it("changes when the zone says so, and never in a zone without summer time", () => {
    const changes = (zone: string) =>
      zoneOffsets(zone, year).map(({ fromMs, offsetMs }) => [text(fromMs), offsetMs / HOUR]);
    expect(changes("Europe/Berlin")).toEqual([
      ["2026-01-01T00:00", 1],
      ["2026-03-29T01:00", 2],
      ["2026-10-25T01:00", 1],
    ]);
    expect(changes("Australia/Lord_Howe")).toEqual([
      ["2026-01-01T00:00", 11],
      ["2026-04-04T15:00", 10.5],
      ["2026-10-03T15:30", 11],
    ]);
    expect(changes("Asia/Kathmandu")).toEqual([["2026-01-01T00:00", 5.75]]);
    // Back within five weeks.
    expect(changes("Africa/Casablanca")).toEqual([
      ["2026-01-01T00:00", 1],
      ["2026-02-15T02:00", 0],
      ["2026-03-22T02:00", 1],
    ]);
  });

  it("is not known of a zone that does not exist", () => {
    expect(() => zoneOffsets("Europe/Berln", year)).toThrow(RangeError);
  });

  it("shows a moment, and finds the first that shows a time; what is skipped begins where the clock goes on", () => {
    const berlin = zoneOffsets("Europe/Berlin", year);
    expect(text(clockTime(Date.UTC(2026, 6, 1, 22), berlin))).toBe("2026-07-02T00:00");
    expect(text(momentOf(Date.UTC(2026, 6, 2), berlin))).toBe("2026-07-01T22:00");
    // From 2 to 3 o'clock.
    expect(text(momentOf(Date.UTC(2026, 2, 29, 2, 30), berlin))).toBe("2026-03-29T01:00");
    // Twice 2:30.
    expect(text(momentOf(Date.UTC(2026, 9, 25, 2, 30), berlin))).toBe("2026-10-25T00:30");
    const santiago = zoneOffsets("America/Santiago", year);
    // There is no midnight on that day.
    expect(text(momentOf(Date.UTC(2026, 8, 6), santiago))).toBe("2026-09-06T04:00");
  });
});
