import { z } from "zod";
import { closedObject } from "../../../../foundation/closed-object.js";
import type { Feedback } from "../../../traces/trace.js";

/** UTF-16 units of a comment. */
const MOST_COMMENT = 2000;

const badId = { error: "it must be the id of a request, `req_…`, as its reply had it" };
const badScore = { error: "it must be a number from 0 to 1" };
const badComment = { error: `it must be a string of at most ${MOST_COMMENT} characters, or null` };

const score = z.number(badScore).min(0, badScore).max(1, badScore);

/** Body of `POST /v1/feedback`. */
export const feedbackRequestSchema = closedObject(
  {
    request_id: z.string(badId).min(1, badId).describe("Id of the request, as its reply had it."),
    score: score.describe("How good its outcome was: from 0, of no use, to 1, as good as can be."),
    comment: z.string(badComment).max(MOST_COMMENT, badComment).nullish().describe("Why, in words."),
  },
  "it must be an object",
);

/** Feedback as traces show it. */
export const traceFeedbackSchema = z.strictObject({
  score: z.number().min(0).max(1),
  comment: z.string().nullable().describe("Null without one, and when content is not stored."),
  created_at: z.string().describe("When it was given: ISO 8601, UTC."),
});

/** Answer of `POST /v1/feedback`. */
export const feedbackSchema = z.strictObject({
  object: z.literal("feedback"),
  request_id: z.string().describe("Id of the request that it is about."),
  ...traceFeedbackSchema.shape,
});

export type FeedbackRequest = z.infer<typeof feedbackRequestSchema>;
export type TraceFeedbackBody = z.infer<typeof traceFeedbackSchema>;
export type FeedbackBody = z.infer<typeof feedbackSchema>;

export const traceFeedbackBody = ({ score, comment, givenAtMs }: Feedback): TraceFeedbackBody => ({
  score,
  comment,
  created_at: new Date(givenAtMs).toISOString(),
});
