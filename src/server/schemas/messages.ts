import { z } from "zod";

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

const textPart = z.looseObject({
  type: z.literal("text"),
  text: z.string({ error: "it must be a string" }),
});

const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject(
    { url: z.string({ error: "it must be a string" }).min(1, { error: "it must be a URL or a data: URI" }) },
    { error: "it must be an object with a `url`" },
  ),
});

const part = z.discriminatedUnion("type", [textPart, imagePart], {
  error: "it must be one of text, image_url",
});

const content = z
  .union([z.string(), z.array(part).min(1, { error: "it must hold at least one part" }), z.null()], {
    error: "it must be a string or a list of parts",
  })
  .describe("Text, or a list of parts of type `text` and `image_url`.");

/** One chat message in OpenAI's shape. Fields that routing does not read (`name`, `tool_calls`, …) pass unchanged. */
const message = z
  .looseObject(
    {
      role: z
        .enum(ROLES, { error: `it must be one of ${ROLES.join(", ")}` })
        .describe("Who speaks: `system`, `developer`, `user`, `assistant` or `tool`."),
      content: content.optional(),
    },
    { error: "it must be an object with `role` and `content`" },
  )
  .refine(({ role, content }) => role === "assistant" || (content !== undefined && content !== null), {
    path: ["content"],
    error: "it must be a string or a list of parts (only an assistant's may be left out)",
  });

/** The conversation, oldest message first. */
export function messagesSchema(maxMessages: number) {
  return z
    .array(message, { error: "it must be a list of messages" })
    .min(1, { error: "it must hold at least one message" })
    .max(maxMessages, { error: `it must hold at most ${maxMessages} messages` })
    .describe("The conversation, oldest message first.");
}
