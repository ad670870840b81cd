import { z } from "zod";

export const MESSAGE_ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

const text = z.string({ error: "it must be a string" });

const textPart = z.looseObject({ type: z.literal("text"), text });

const address = text.min(1, { error: "it must be a URL or a data: URI" });

/** Some clients send the address alone. */
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.union([z.looseObject({ url: address }), address], {
    error: "it must be an object with a `url`, or an address",
  }),
});

const audioPart = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject(
    { data: text, format: text },
    { error: "it must be an object with `data` and `format`" },
  ),
});

const filePart = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({}, { error: "it must be an object with `file_data` or `file_id`" }),
});

const videoPart = z.looseObject({
  type: z.literal("video_url"),
  video_url: z.looseObject({ url: address }, { error: "it must be an object with a `url`" }),
});

const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: text });

const routablePart = z.discriminatedUnion("type", [textPart, imagePart], {
  error: "it must be one of text, image_url",
});

const anyPart = z.discriminatedUnion(
  "type",
  [textPart, imagePart, audioPart, videoPart, filePart, refusalPart],
  { error: "it must be one of text, image_url, input_audio, video_url, file, refusal" },
);

/** One chat message in OpenAI's shape. Fields that are not read here (`name`, `tool_calls`, …) pass unchanged. */
function messageSchema<Part extends z.ZodType>(part: Part, partTypes: string) {
  const content = z
    .union([z.string(), z.array(part).min(1, { error: "it must hold at least one part" }), z.null()], {
      error: "it must be a string or a list of parts",
    })
    .describe(`Text, or a list of parts of type ${partTypes}.`);
  return z
    .looseObject(
      {
        role: z
          .enum(MESSAGE_ROLES, { error: `it must be one of ${MESSAGE_ROLES.join(", ")}` })
          .describe("Who speaks: `system`, `developer`, `user`, `assistant` or `tool`."),
        content: content.optional(),
      },
      { error: "it must be an object with `role` and `content`" },
    )
    .refine(({ role, content }) => role === "assistant" || (content !== undefined && content !== null), {
      path: ["content"],
      error: "it must be a string or a list of parts (only an assistant's may be left out)",
    });
}

function conversation<Message extends z.ZodType>(message: Message, maxMessages: number) {
  return z
    .array(message, { error: "it must be a list of messages" })
    .min(1, { error: "it must hold at least one message" })
    .max(maxMessages, { error: `it must hold at most ${maxMessages} messages` })
    .describe("The conversation, oldest message first.");
}

const judgedPart = z.discriminatedUnion("type", [textPart, imagePart, filePart], {
  error: "it must be one of text, image_url, file",
});

/** A conversation to route: files are judged by their text. */
export const judgedMessagesSchema = (maxMessages: number) =>
  conversation(messageSchema(judgedPart, "`text`, `image_url` and `file`"), maxMessages);

/** A conversation to learn from, or to explain: text and images, which is what is known of models. */
export const messagesSchema = (maxMessages: number) =>
  conversation(messageSchema(routablePart, "`text` and `image_url`"), maxMessages);

/** A conversation for a model that the client names: every part that OpenAI's API knows. */
export const chatMessagesSchema = (maxMessages: number) =>
  conversation(
    messageSchema(
      anyPart,
      "`text`, `image_url`, `input_audio`, `video_url`, `file` and, from an assistant, `refusal`",
    ),
    maxMessages,
  );
