import { z } from "zod";
import { closedObject } from "../../../../foundation/closed-object.js";
import { explanationSchema } from "../../../api/explanation.js";
import { costWeight } from "../../../api/fields.js";
import { tracedAnswer } from "../../../traces/trace-messages.js";
import type { TraceBody } from "./trace.js";
import { traceSchema } from "./trace.js";

/** The answer of a request, in the parts that people read apart. */
export const tracedAnswerSchema = z.strictObject({
  role: z.literal("assistant"),
  text: z.string().describe("Without reasoning and tool calls."),
  reasoning: z
    .string()
    .nullable()
    .describe(
      "What came apart from the answer, and what it begins with between `<think>` and `</think>`; null without either.",
    ),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
});

/** Answer of `GET /admin/traces/{request_id}`. */
export const operatorTraceSchema = traceSchema.extend({
  answer: tracedAnswerSchema.optional().describe("Absent when the content was not stored."),
});

export type TracedAnswerBody = z.infer<typeof tracedAnswerSchema>;
export type OperatorTraceBody = z.infer<typeof operatorTraceSchema>;

/** @param apart reasoning that came apart from the answer */
export function tracedAnswerBody(output: string, apart?: string): TracedAnswerBody {
  const { toolCalls, ...answer } = tracedAnswer(output, apart);
  return {
    ...answer,
    tool_calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given })),
  };
}

export function operatorTraceBody(trace: TraceBody): OperatorTraceBody {
  const { output_text: output, reasoning_text: reasoning } = trace;
  return output === undefined ? trace : { ...trace, answer: tracedAnswerBody(output, reasoning) };
}

/** Body of `POST /admin/traces/{request_id}/route`. */
export const routeAgainRequestSchema = closedObject(
  {
    cost_weight: costWeight,
  },
  "it must be an object",
);

/** Answer of `POST /admin/traces/{request_id}/route`. */
export const routeAgainSchema = explanationSchema.extend({
  left_out: z
    .array(z.string())
    .describe(
      "Candidates of the traced decision that these profiles do not have, so that they took no part.",
    ),
  same_candidates: z
    .boolean()
    .describe(
      "Whether the candidates are those of the traced decision. Where it was made among all models, or the request named its model, those that can be run now are taken.",
    ),
});

export type RouteAgainBody = z.infer<typeof routeAgainSchema>;
