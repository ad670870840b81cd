import { z } from "zod";
import { setReportSchema } from "../../engine/profiles/set-report.js";
import { closedObject } from "../../foundation/closed-object.js";

const badSet = { error: "it must be the name of one profile set" };

/** Query of `GET /admin/router/report`. */
export const setReportQuerySchema = closedObject(
  {
    set: z
      .string(badSet)
      .min(1, badSet)
      .optional()
      .describe("Name of a profile set in use. Default: the first."),
  },
  "it must be a query",
);

/** Answer of `GET /admin/router/report`. */
export const setReportReplySchema = z.strictObject({
  object: z.literal("router.report"),
  sets: z.array(z.string()).describe("Names of the profile sets in use."),
  ...setReportSchema.shape,
  request_id: z.string(),
});

export type SetReportReplyBody = z.infer<typeof setReportReplySchema>;
