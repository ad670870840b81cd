/** What the routes that read a sample of the traces have in common. */
import { z } from "zod";
import { invalidParameter } from "./trace-query.js";

/** Requests that are read unless the caller says otherwise. */
export const DEFAULT_SAMPLE = 300;

/** Most requests that one comparison reads. A replay decides each of them once for every cost weight, between other requests. */
const MOST_SAMPLED = 2000;

/** The parameter `sample`: how many requests to read at most. */
export const sampleParameter = {
  description: `Maximum number of requests to read, drawn evenly from those that match: from 1 to ${MOST_SAMPLED}. Default: ${DEFAULT_SAMPLE}.`,
  read(text: string): number {
    if (text === "") return DEFAULT_SAMPLE;
    const sample = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (sample >= 1 && sample <= MOST_SAMPLED) return sample;
    throw invalidParameter(
      "sample",
      `\`sample\` is ${quoted(text)}: it must be a whole number from 1 to ${MOST_SAMPLED}.`,
    );
  },
};

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));

export const estimateSchema = z
  .strictObject({ value: z.number(), low: z.number(), high: z.number() })
  .describe("With its 95% interval.");
