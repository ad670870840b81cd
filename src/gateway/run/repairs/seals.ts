/** Reasoning in a conversation that only who made it can read, in the form of any API. */
import { isJsonObject, type JsonObject, memberOf, objectsIn } from "../../providers/chat.js";
import { eachMember, without } from "./change.js";

/** Texts that seal reasoning: signatures of Claude's thinking and Gemini's, OpenAI's encrypted reasoning. */
export function reasoningSeals(body: JsonObject): readonly string[] {
  const seals: string[] = [];
  read(body, (seal) => {
    seals.push(seal);
    return false;
  });
  return seals;
}

/** The body without reasoning whose seal is refused, and without what it cannot be asked for then; itself when there is none. */
export function withoutSealed(body: JsonObject, isRefused: (seal: string) => boolean): JsonObject {
  const kept = read(body, isRefused) as JsonObject;
  return kept !== body && continuesWithoutThoughts(kept) ? without(kept, "thinking") : kept;
}

/** Whether a budget of thinking is asked for in a loop of tools that began without: Anthropic refuses that. */
export function continuesWithoutThoughts({ thinking, messages }: JsonObject): boolean {
  if (memberOf(thinking, "type") !== "enabled") return false;
  const last = objectsIn(messages).findLast(({ role }) => role === "assistant");
  const blocks = objectsIn(last?.content);
  return blocks.some(({ type }) => type === "tool_use") && !String(blocks[0]?.type).endsWith("thinking");
}

/** Members of bodies, messages and calls in which reasoning is; those of lists have no name. */
const HOLDERS = /^(?:|input|messages|content|tool_calls|thinking_blocks|reasoning_details|extra_content)$/;

function read(value: unknown, isRefused: (seal: string) => boolean): unknown {
  return eachMember(value, (member, name) => {
    if (!HOLDERS.test(name)) return member;
    const seal = isJsonObject(member) ? sealOf(member) : undefined;
    if (typeof seal === "string" && seal !== "" && isRefused(seal)) return undefined;
    return read(member, isRefused);
  });
}

function sealOf({ type, signature, data, encrypted_content: encrypted, google }: JsonObject): unknown {
  if (type === "thinking") return signature;
  if (type === "redacted_thinking" || type === "reasoning.encrypted") return data;
  return type === "reasoning" ? encrypted : memberOf(google, "thought_signature");
}
