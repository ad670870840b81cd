/** What the routes that read a sample of the traces have in common. */
import { z } from "zod";
import { invalidParameter } from "./trace-query.js";

const DEFAULT_SAMPLE = 300;

export interface SampleLimits {
  /** What `sample` may be at most. */
  readonly mostSampled: number;
}

/** The parameter `sample`: how many requests to read at most. */
export const sampleParameter = ({ mostSampled }: SampleLimits) => ({
  description: `Most requests to read, drawn evenly from those that match: from 1 to \`most_sampled\` of the answer. Default: ${DEFAULT_SAMPLE}, or that if it is less.`,
  read(text: string): number {
    if (text === "") return Math.min(DEFAULT_SAMPLE, mostSampled);
    const sample = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (sample >= 1 && sample <= mostSampled) return sample;
    throw invalidParameter(
      "sample",
      `\`sample\` is ${quoted(text)}: it must be a whole number from 1 to ${mostSampled} (SEXTANT_TRACE_MAX_SAMPLE).`,
    );
  },
});

export const mostSampledSchema = z
  .int()
  .min(1)
  .describe("What `sample` may be at most: `SEXTANT_TRACE_MAX_SAMPLE`.");

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));

export const estimateSchema = z
  .strictObject({ value: z.number(), low: z.number(), high: z.number() })
  .describe("With its 95% interval.");
