/** What the routes that read a sample of the traces have in common. */
import { z } from "zod";
import { invalid, type RawQuery } from "./trace-query.js";

const DEFAULT_SAMPLE = 300;
const MOST_SAMPLED = 2000;

/** For the OpenAPI document alone: `sampleIn` checks it. */
export const SAMPLE_PARAMETER = z
  .string()
  .optional()
  .describe(
    `Most requests to read, drawn evenly from those that match: 1 to ${MOST_SAMPLED}. Default: ${DEFAULT_SAMPLE}.`,
  );

/** The parameter `sample`. @throws SextantError `invalid_request` */
export function sampleIn(value: RawQuery[string]): number {
  const text = single(value);
  const most = text === "" ? DEFAULT_SAMPLE : /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (most >= 1 && most <= MOST_SAMPLED) return most;
  throw invalid(
    "sample",
    `\`sample\` is ${quoted(text)}: it must be a whole number from 1 to ${MOST_SAMPLED}.`,
  );
}

export const single = (value: RawQuery[string] = ""): string => [value].flat().join(",");

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));

export const estimateSchema = z
  .strictObject({ value: z.number(), low: z.number(), high: z.number() })
  .describe("With its 95 % interval.");
