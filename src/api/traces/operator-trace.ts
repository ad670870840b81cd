import { z } from "zod";
import { type TracedMessage, tracedAnswer, tracedMessages } from "../../traces/trace-messages.js";
import { closedObject } from "../closed-object.js";
import { explanationSchema } from "../explanation.js";
import { costWeight } from "../fields.js";
import type { TraceBody } from "./trace.js";
import { traceSchema } from "./trace.js";

export const tracedMessageSchema = z.strictObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  text: z.string().describe("Without reasoning and tool calls."),
  reasoning: z
    .string()
    .nullable()
    .describe(
      "What came apart from an answer, and what it begins with between `<think>` and `</think>`; null without either.",
    ),
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
});

/** Answer of `GET /admin/traces/{request_id}`. */
export const operatorTraceSchema = traceSchema.extend({
  messages: z
    .array(tracedMessageSchema)
    .optional()
    .describe("The messages of the prompt; absent when the content was not stored."),
  answer: tracedMessageSchema.optional().describe("Absent when the content was not stored."),
});

export type TracedMessageBody = z.infer<typeof tracedMessageSchema>;
export type OperatorTraceBody = z.infer<typeof operatorTraceSchema>;

export const tracedMessageBody = ({ toolCalls, ...message }: TracedMessage): TracedMessageBody => ({
  ...message,
  tool_calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given })),
});

export function operatorTraceBody(trace: TraceBody): OperatorTraceBody {
  const { input_text: input, output_text: output, reasoning_text: reasoning } = trace;
  if (input === undefined || output === undefined) return trace;
  return {
    ...trace,
    messages: tracedMessages(input).map(tracedMessageBody),
    answer: tracedMessageBody(tracedAnswer(output, reasoning)),
  };
}

/** The sets that can decide: the one in use, and the one that decides beside it. */
const PROFILES_IN_USE = ["live", "shadow"] as const;
export type ProfilesInUse = (typeof PROFILES_IN_USE)[number];

/** Body of `POST /admin/traces/{request_id}/route`. */
export const routeAgainRequestSchema = closedObject(
  {
    cost_weight: costWeight,
    profiles: z
      .enum(PROFILES_IN_USE, { error: "it must be live or shadow" })
      .optional()
      .meta({ description: "Profiles that decide: those in use, or the shadow set's.", default: "live" }),
  },
  "it must be an object",
);

export type RouteAgainRequest = z.infer<typeof routeAgainRequestSchema>;

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
      "Whether the candidates are those of the traced decision. A request that named its model had none: those that can be run now are taken.",
    ),
  profiles: z.enum(PROFILES_IN_USE),
  available_profiles: z.array(z.enum(PROFILES_IN_USE)),
});

export type RouteAgainBody = z.infer<typeof routeAgainSchema>;
