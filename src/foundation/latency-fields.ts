/** How requests and presets say how long an answer may take. */
import { z } from "zod";
import { closedObject } from "./closed-object.js";

const MS = { error: "it must be a number of milliseconds above 0" };
const ms = z.number(MS).positive(MS);
const CONFIDENCE = { error: "it must be a number from 0.5 to 0.99" };
const USUAL_CONFIDENCE = 0.9;

const limit = closedObject(
  {
    ms,
    of: z.enum(["whole", "first_token"], { error: "it must be whole or first_token" }).optional().meta({
      description: "Of the whole answer, or to its first token.",
      default: "whole",
    }),
    confidence: z.number(CONFIDENCE).min(0.5, CONFIDENCE).max(0.99, CONFIDENCE).optional().meta({
      description: "Share of the answers that must take no longer.",
      default: USUAL_CONFIDENCE,
    }),
  },
  "it must be a number of milliseconds, or an object with `ms`, `of` and `confidence`",
);

export type MaxLatencyField = z.infer<typeof limit> | number;

export const maxLatencyMs = z
  .union([ms, limit], {
    error: "it must be a number of milliseconds above 0, or an object with `ms`, `of` and `confidence`",
  })
  .optional()
  .describe(
    "Leaves out models of which fewer than nine of ten measured answers (or the share `confidence`) take at most that many milliseconds, and models without measured times.",
  );

const WEIGHT = { error: "it must be a number from 0 to 100" };
export const latencyWeight = z.number(WEIGHT).min(0, WEIGHT).max(100, WEIGHT).optional().meta({
  description: "Points of quality (hundredths) that a second of an answer's expected time is worth.",
  default: 0,
});

interface LatencyLimit {
  /** Milliseconds, above 0. */
  readonly ms: number;
  readonly of: "whole" | "first_token";
  /** In (0, 1). */
  readonly confidence: number;
}

/** As the router takes them. */
export const timesAsked = (
  limited: MaxLatencyField | undefined,
  weight: number | undefined,
): { readonly maxLatency?: LatencyLimit; readonly latencyWeight?: number } => ({
  ...(limited !== undefined && { maxLatency: limitOf(limited) }),
  ...(weight !== undefined && weight > 0 && { latencyWeight: weight }),
});

const limitOf = (asked: MaxLatencyField): LatencyLimit =>
  typeof asked === "number"
    ? { ms: asked, of: "whole", confidence: USUAL_CONFIDENCE }
    : { ms: asked.ms, of: asked.of ?? "whole", confidence: asked.confidence ?? USUAL_CONFIDENCE };
