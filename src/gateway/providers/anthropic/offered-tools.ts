/** Which tools a model is offered at the end of a conversation of Anthropic's, whose tools may be deferred, added and removed on the way. */
import { isJsonObject, type JsonObject, memberOf, objectsIn } from "../chat.js";

interface Conversation {
  readonly tools?: unknown;
  readonly messages: readonly { readonly role?: unknown; readonly content?: unknown }[];
}

/**
 * Of `tools` those that are not deferred, or named by a `tool_reference` in a tool's result or a `tool_addition` in a message of role
 * `system`, and no later `tool_removal`; then those that an addition defines itself. What is no object stays.
 *
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages, read 2026-11-29.
 */
export function offeredTools({ tools, messages }: Conversation): readonly unknown[] {
  const listed: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const defined = new Map<unknown, JsonObject>();
  const isOffered = new Map<unknown, boolean>(
    objectsIn(listed).map(({ name, defer_loading: deferred }) => [name, deferred !== true]),
  );
  for (const { role, content } of messages)
    for (const block of objectsIn(content)) {
      if (role !== "system") for (const name of referencedIn(block)) isOffered.set(name, true);
      else {
        const { tool } = block;
        const definition = memberOf(tool, "definition");
        const name = memberOf(definition ?? tool, "name");
        if (isJsonObject(definition)) defined.set(name, definition);
        if (changesTools(block)) isOffered.set(name, block.type === "tool_addition");
      }
    }
  const isIn = (tool: unknown): boolean => !isJsonObject(tool) || isOffered.get(tool.name) === true;
  return [...listed, ...defined.values()].filter(isIn);
}

/** Whether a block of a message of role `system` adds or removes a tool. */
export const changesTools = ({ type }: JsonObject): boolean =>
  type === "tool_addition" || type === "tool_removal";

const referencedIn = ({ type, content }: JsonObject): readonly unknown[] =>
  type !== "tool_result"
    ? []
    : objectsIn(content).flatMap(({ type: kind, tool_name: name }) =>
        kind === "tool_reference" ? [name] : [],
      );
