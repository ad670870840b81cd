import type { ChatCompletion } from "../chat.js";
import { invalidReply, readReplyObject } from "../http/reply-object.js";
import type { ChoiceReader } from "./choices.js";

/**
 * The body of a successful reply, in the form of chat completions.
 *
 * @throws ProviderFault `invalid_reply` for anything that is no completion, and what an error in it says
 */
export function readCompletion(text: string, reader: ChoiceReader): ChatCompletion {
  const body = readReplyObject(text);
  const { choices } = body;
  if (!Array.isArray(choices) || choices.length === 0) throw invalidReply("a reply without choices");
  if (reader.translates) body.object = "chat.completion";
  return { ...body, choices: choices.map((choice, position) => reader.whole(choice, position)) };
}
