import { z } from "zod";
import {
  fallbacks,
  flag,
  MAX_TOOLS,
  metadata,
  model,
  provider,
  routerOptions,
  stream,
  topP,
} from "./fields.js";

const text = z.string({ error: "it must be a string" });

/** A content block: what is in it depends on its type, of which Anthropic adds new ones. */
const block = z.looseObject({ type: text }, { error: "it must be a content block, an object with a `type`" });

const ROLES = ["user", "assistant", "system"] as const;

const message = z.looseObject(
  {
    role: z
      .enum(ROLES, { error: `it must be one of ${ROLES.join(", ")}` })
      .describe("Who speaks: `user`, `assistant`, or `system` for instructions from here on."),
    content: z
      .union([z.string(), z.array(block)], { error: "it must be a string or a list of content blocks" })
      .describe("Text, or a list of content blocks."),
  },
  { error: "it must be an object with `role` and `content`" },
);

const messages = (maxMessages: number) =>
  z
    .array(message, { error: "it must be a list of messages" })
    .min(1, { error: "it must hold at least one message" })
    .max(maxMessages, { error: `it must hold at most ${maxMessages} messages` })
    .describe("The conversation, oldest message first.");

const system = z
  .union(
    [
      z.string(),
      z.array(
        z.looseObject(
          { type: z.literal("text", { error: "it must be text" }), text },
          { error: "it must be a text block" },
        ),
      ),
    ],
    { error: "it must be a string or a list of text blocks" },
  )
  .nullish()
  .describe("Instructions: text, or a list of text blocks.");

const wholeNumber = (least: number) => {
  const error = `it must be a whole number of at least ${least}`;
  return z.int({ error }).min(least, { error });
};

const zeroToOne = { error: "it must be a number from 0 to 1" };

const tools = z
  .array(
    z.looseObject(
      { name: text.optional(), type: text.nullish() },
      { error: "it must be a tool object with a `name`" },
    ),
    { error: "it must be a list of tools" },
  )
  .max(MAX_TOOLS, { error: `it must be a list of at most ${MAX_TOOLS} tools` })
  .nullish()
  .describe(
    "Tools the model may call. Tools of Anthropic's own (`web_search_…`, `bash_…`) need one of its models.",
  );

const CHOICES = ["auto", "any", "tool", "none"] as const;

const toolChoice = z
  .looseObject(
    {
      type: z.enum(CHOICES, { error: `it must be one of ${CHOICES.join(", ")}` }),
      name: text.optional(),
      disable_parallel_tool_use: flag.nullish(),
    },
    { error: "it must be an object with a `type`" },
  )
  .refine(({ type, name }) => type !== "tool" || name !== undefined, {
    path: ["name"],
    error: "it must be the name of the tool to call",
  })
  .nullish()
  .describe("Whether the model may, must or must not call a tool.");

const thinking = z
  .looseObject(
    { type: text, budget_tokens: wholeNumber(1).nullish() },
    { error: "it must be an object with a `type`: enabled, adaptive or disabled" },
  )
  .nullish()
  .describe("Whether the model thinks first; other models get the `reasoning_effort` nearest to it.");

/** Fields that the size of a prompt depends on, and ours. */
function promptFields(maxMessages: number) {
  return {
    model,
    messages: messages(maxMessages),
    system,
    tools,
    tool_choice: toolChoice,
    thinking,
    provider,
    fallbacks,
    router: routerOptions,
  };
}

/** Body of `POST /v1/messages`: Anthropic's, and three fields of ours (`provider`, `fallbacks`, `router`). */
export function messagesRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return z.looseObject(
    {
      ...promptFields(maxMessages),
      max_tokens: wholeNumber(0).describe(
        "Maximum tokens of the answer. 0, which only fills the prompt cache, needs one of Anthropic's models.",
      ),
      stream,
      temperature: z
        .number(zeroToOne)
        .min(0, zeroToOne)
        .max(1, zeroToOne)
        .nullish()
        .describe("Sampling temperature, 0 to 1."),
      top_p: topP,
      top_k: wholeNumber(0)
        .nullish()
        .describe("How many of the likeliest tokens to draw from. Only for Anthropic's models."),
      stop_sequences: z
        .array(text, { error: "it must be a list of strings" })
        .nullish()
        .describe("Texts before which the answer ends."),
      metadata: metadata.describe("`user_id` for the provider; it and other tags are stored with the trace."),
    },
    { error: "it must be an object" },
  );
}

export type MessagesRequestBody = z.infer<ReturnType<typeof messagesRequestSchema>>;

export const MESSAGES_REQUEST_FIELDS: readonly string[] = Object.keys(
  messagesRequestSchema({ maxMessages: 1 }).shape,
);

/** Body of `POST /v1/messages/count_tokens`. */
export function countTokensRequestSchema({ maxMessages }: { readonly maxMessages: number }) {
  return z.looseObject(promptFields(maxMessages), { error: "it must be an object" });
}

export type CountTokensRequestBody = z.infer<ReturnType<typeof countTokensRequestSchema>>;

export const tokenCountSchema = z.object({
  input_tokens: z.int(),
  estimated: z.literal(true).optional().describe("Whether a tokenizer counted here, and not the provider."),
});

/** A `message` of Anthropic's, with `provider`, `request_id` and, for `auto`, `routing`. */
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  provider: z.string(),
  request_id: z.string(),
});
