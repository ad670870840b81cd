import { type ZoneOffset, zoneOffsets } from "../../../../foundation/time-zone.js";
import { invalidParameter } from "./trace-query.js";

/** Earlier than any trace. */
const EARLIEST_MS = Date.UTC(2020, 0, 1);

/** A zone that a query names. */
export interface TimeZone {
  /** Of the clock there, in a part of time; `nowMs` is its end where it has none. */
  offsets(
    range: { readonly startMs?: number; readonly endMs?: number },
    nowMs: number,
  ): readonly ZoneOffset[];
}

/** @param use what the zone is for, as a clause */
export const timeZoneParameter = (use: string) => ({
  description: `${use}: the name of a time zone, such as \`Europe/Berlin\`. Default: UTC.`,
  read(text: string): TimeZone | undefined {
    if (text === "") return undefined;
    const offsets: TimeZone["offsets"] = ({ startMs = EARLIEST_MS, endMs }, nowMs) =>
      zoneOffsets(text, { fromMs: startMs, toMs: endMs ?? nowMs });
    try {
      offsets({ startMs: EARLIEST_MS, endMs: EARLIEST_MS }, EARLIEST_MS);
    } catch {
      throw invalidParameter(
        "time_zone",
        `\`time_zone\` is ${JSON.stringify(text.slice(0, 40))}, which is not known. Give a name such as Europe/Berlin, or leave it out.`,
      );
    }
    return { offsets };
  },
});
