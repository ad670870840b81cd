import { z } from "zod";

/** What a model's profile rests on. */
export const basisSchema = z
  .enum(["measured", "placed", "both"])
  .describe(
    "What the model's profile rests on: `measured` (graded answers), `placed` (published scores; without any, the model's maker, date and price), or `both`.",
  );
