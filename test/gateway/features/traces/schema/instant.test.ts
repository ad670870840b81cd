import { describe, expect, it } from "vitest";
import { parseInstant } from "../../../../../src/gateway/features/traces/schema/instant.js";

const ms = (text: string): number => {
  const parsed = parseInstant(text);
  if ("fault" in parsed) throw new Error(`${text} ${parsed.fault}`);
  return parsed.ms;
};
const faultOf = (text: string): string => {
  const parsed = parseInstant(text);
  return "fault" in parsed ? parsed.fault : `is ${parsed.ms}`;
};
const noon = Date.UTC(2026, 0, 31, 12);

describe("parseInstant", () => {
  it.each([
    ["2026-01-31T12:00:00Z", noon],
    ["2026-01-31t12:00Z", noon],
    ["2026-01-31 12:00", noon],
    ["2026-01-31T12:00:00", noon],
    ["2026-01-31T14:30:00+02:30", noon],
    ["2026-01-31T14:30:00+0230", noon],
    ["2026-01-31T14:00:00+02", noon],
    ["2026-01-31T14:00:00 02:00", noon],
    ["2026-02-01T11:59:00+23:59", noon],
    ["2026-01-30T12:01:00-23:59", noon],
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2026-01-31T24:00", Date.UTC(2026, 1, 1)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["1969-12-31T23:59:59.999Z", -1],
    ["0001-01-01", -62_135_596_800_000],
    ["9999-12-31T23:59:59Z", 253_402_300_799_000],
  ])("reads %s", (text, expected) => {
    expect(ms(text)).toBe(expected);
  });

  it("rounds a fraction of a millisecond up, in any notation", () => {
    expect(ms("2026-01-31T12:00:00.1Z")).toBe(noon + 100);
    expect(ms("2026-01-31T12:00:00,123Z")).toBe(noon + 123);
    expect(ms("2026-01-31T12:00:00.123000000Z")).toBe(noon + 123);
    expect(ms("2026-01-31T12:00:00.123000001Z")).toBe(noon + 124);
    expect(ms("2026-01-31T12:00:00.9991Z")).toBe(noon + 1000);
  });

  it("reads a leap second as the second after it, in any zone, and only at the end of a month", () => {
    expect(ms("2016-12-31T23:59:60Z")).toBe(Date.UTC(2017, 0, 1));
    expect(ms("2016-12-31T23:59:60.25Z")).toBe(Date.UTC(2017, 0, 1) + 250);
    expect(ms("2017-01-01T01:59:60+02:00")).toBe(Date.UTC(2017, 0, 1));
    expect(ms("2015-06-30T23:59:60")).toBe(Date.UTC(2015, 6, 1));
    for (const text of ["2016-12-31T12:30:60Z", "2016-12-30T23:59:60Z", "2016-12-31T23:59:60+02:00"]) {
      expect(faultOf(text)).toMatch(/second 60/);
    }
  });

  const TIME = "a time that does not exist: hours go to 23, minutes and seconds to 59";
  it.each([
    ["2026-02-29", "a day that does not exist: February 2026 has 28"],
    ["1900-02-29", "a day that does not exist: February 1900 has 28"],
    ["2026-04-31T00:00:00Z", "a day that does not exist: April 2026 has 30"],
    ["2026-01-00", "a day that does not exist: January 2026 has 31"],
    ["2026-13-01", "a month that does not exist: they go from 01 to 12"],
    ["2026-01-31T24:00:01Z", TIME],
    ["2026-01-31T12:60Z", TIME],
    ["2026-01-31T12:00:61Z", TIME],
    ["2026-01-31T12:00+24:00", "a zone that does not exist: they go from -23:59 to +23:59"],
  ])("refuses %s, which has %s", (text, fault) => {
    expect(faultOf(text)).toBe(`has ${fault}`);
  });

  it.each([
    ...["", "today", "2026", "2026-01", "2026-1-31", "20260131", "2026-W05-6", "31.01.2026", "1769860800000"],
    ...["2026-01-31Z", "2026-01-31T", "2026-01-31T12Z", "2026-01-31T12:00:00.Z", "+002026-01-31"],
    ...["2026-01-31T12:00:00Z ", " 2026-01-31", "２０２６-01-31"],
  ])("refuses %j and shows the expected form", (text) => {
    expect(faultOf(text)).toBe("must be a date such as 2026-01-31, or 2026-01-31T09:30:00Z");
  });
});
