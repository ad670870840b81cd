/** Reasoning in a conversation that only who made it can read, in the form of any API. */
import { isJsonObject, type JsonObject } from "../../../providers/chat.js";

/** Texts that seal reasoning: signatures of Claude's thinking and Gemini's, OpenAI's encrypted reasoning. */
export function reasoningSeals(body: JsonObject): readonly string[] {
  const seals: string[] = [];
  withoutRefusedSeals(body, (seal) => {
    seals.push(seal);
    return false;
  });
  return seals;
}

/** The body without the reasoning whose seal is refused; itself when there is none. */
export const withoutRefusedSeals = (body: JsonObject, isRefused: (seal: string) => boolean): JsonObject =>
  read(body, isRefused) as JsonObject;

/** Members of bodies, messages and calls in which reasoning is. */
const HOLDERS = [
  ...["input", "messages", "content", "tool_calls"],
  ...["thinking_blocks", "reasoning_details", "extra_content"],
] as const;

function read(value: unknown, isRefused: (seal: string) => boolean): unknown {
  const refuses = (item: unknown): boolean => {
    const seal = isJsonObject(item) ? sealOf(item) : undefined;
    return typeof seal === "string" && seal !== "" && isRefused(seal);
  };
  if (Array.isArray(value)) {
    const kept = value.filter((item: unknown) => !refuses(item)).map((item) => read(item, isRefused));
    return kept.length === value.length && kept.every((item, at) => item === value[at]) ? value : kept;
  }
  if (!isJsonObject(value)) return value;
  const members = HOLDERS.filter((name) => name in value).map(
    (name) => [name, refuses(value[name]) ? undefined : read(value[name], isRefused)] as const,
  );
  return members.every(([name, held]) => held === value[name])
    ? value
    : { ...value, ...Object.fromEntries(members) };
}

function sealOf({ type, signature, data, encrypted_content: encrypted, google }: JsonObject): unknown {
  switch (type) {
    case "thinking":
      return signature;
    case "redacted_thinking":
    case "reasoning.encrypted":
      return data;
    case "reasoning":
      return encrypted;
    default:
      return isJsonObject(google) ? google.thought_signature : undefined;
  }
}
