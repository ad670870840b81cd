/** Options that several commands have, and how values of options are read. */
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { option, type Read } from "./command.js";

/** Reads a number. */
export const numberWithin =
  (from: number, to: number): Read<number> =>
  (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be a number from ${from} to ${to}.`);
  };

export const costWeight = numberWithin(0, 1);

/** Reads a whole number. @param to default: any that can be read exactly */
export const wholeNumberWithin =
  (from: number, to = Number.MAX_SAFE_INTEGER): Read<number> =>
  (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };

/** `a, b` → `["a", "b"]`. */
export const list: Read<readonly string[]> = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** A path, from the working directory. */
export const path: Read<string> = (text, { workingDirectory }) => resolve(workingDirectory, text);

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of a text such as 90d or 12h; undefined when it is not a span of time. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** A span of time as the instant that long ago; anything else as it is, for the store to read. */
export const instant: Read<string> = (text, { now }) => {
  const span = parseSpan(text);
  return span === undefined ? text : new Date(now() - span).toISOString();
};

export const EMBEDDER_OPTION = {
  embedder: option("<model>", "embedder, a folder or hub id; default: SEXTANT_EMBEDDER"),
};

export const SERVER_OPTION = {
  url: option(
    "<url>",
    "address of a running server, called with SEXTANT_API_KEY; default: SEXTANT_BASE_URL, else the store is read directly",
  ),
};

/** Where an agent is to find its models, and which. */
export const MODEL_OPTIONS = {
  url: option(
    "<url>",
    "address of the server, if it is not on this machine; SEXTANT_API_KEY must then be a key of that server with the scope admin; " +
      "default: SEXTANT_BASE_URL",
  ),
  model: option("<name>", "model, or how to route: auto:WEIGHT, a preset such as auto:support").default(
    "auto:0.2",
  ),
  smallModel: option("<name>", "the same, for titles and summaries").default("auto:0.8"),
};
