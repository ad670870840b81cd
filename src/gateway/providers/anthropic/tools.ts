/** `tools`, `tool_choice` and `parallel_tool_calls` in Anthropic's format. */
import { type ChatBody, isJsonObject, type JsonObject, memberOf } from "../chat.js";
import { refusal } from "../provider.js";
import { cacheControl } from "./content.js";
import type { MessagesTurn } from "./conversation.js";

export interface Tooling {
  readonly tools: readonly JsonObject[];
  /** Null leaves the choice to the model. */
  readonly choice: JsonObject | null;
}

/**
 * Tools whose `type` is not OpenAI's are Anthropic's own (`web_search_20250305`, …) and pass unchanged. `strict` of a
 * function is omitted: Anthropic compiles fewer and smaller schemas than OpenAI and would refuse the request; its own
 * OpenAI-compatible endpoint omits it too.
 *
 * @param turns of the conversation; tools called there but missing from `body` are declared with the choice `none`,
 * because the API refuses calls of undeclared tools
 * @throws ProviderFault `request_refused` naming the field
 */
export function toTooling(body: ChatBody, turns: readonly MessagesTurn[]): Tooling {
  const given = body.tools ?? [];
  if (!Array.isArray(given)) throw refusal("tools", "must be a list");
  if (given.length === 0) return declaredFromCalls(turns);
  const tools = given.map((tool: unknown, at) => toTool(tool, `tools[${at}]`));
  const choice = toChoice(body.tool_choice ?? "auto");
  if (body.parallel_tool_calls === false && choice.type !== "none") {
    return { tools, choice: { ...choice, disable_parallel_tool_use: true } };
  }
  return { tools, choice: choice.type === "auto" && Object.keys(choice).length === 1 ? null : choice };
}

/** Whether the model must call a tool, which excludes thinking. */
export const isForced = (choice: JsonObject | null): boolean =>
  choice?.type === "any" || choice?.type === "tool";

function declaredFromCalls(turns: readonly MessagesTurn[]): Tooling {
  const calls = turns.flatMap(({ content }) => content.filter(({ type }) => type === "tool_use"));
  const names = new Set(calls.map(({ name }) => name));
  const tools = [...names].map((name) => ({ name, input_schema: { type: "object" } }));
  return { tools, choice: tools.length === 0 ? null : { type: "none" } };
}

function toTool(tool: unknown, path: string): JsonObject {
  if (!isJsonObject(tool)) throw refusal(path, "must be an object");
  if (tool.type === "custom" && isJsonObject(tool.custom)) {
    throw refusal(
      `${path}.type`,
      "is a custom tool of OpenAI's, which Anthropic has no equivalent for; send a function",
    );
  }
  if (tool.type !== "function") return tool;
  const called = tool.function;
  if (!isJsonObject(called) || typeof called.name !== "string") {
    throw refusal(`${path}.function.name`, "must be a string");
  }
  const parameters = called.parameters ?? {};
  if (!isJsonObject(parameters)) throw refusal(`${path}.function.parameters`, "must be a JSON schema");
  return {
    name: called.name,
    ...(typeof called.description === "string" ? { description: called.description } : {}),
    input_schema: "type" in parameters ? parameters : { type: "object", ...parameters },
    ...cacheControl(called),
    ...cacheControl(tool),
  };
}

const CHOICES: ReadonlyMap<unknown, JsonObject> = new Map([
  ["auto", { type: "auto" }],
  ["none", { type: "none" }],
  ["required", { type: "any" }],
]);

/** Objects of other types than OpenAI's are passed unchanged. */
function toChoice(choice: unknown): JsonObject {
  const known = CHOICES.get(choice);
  if (known !== undefined) return known;
  if (!isJsonObject(choice)) {
    throw refusal("tool_choice", 'must be "auto", "none", "required" or an object that names a function');
  }
  if (choice.type === "allowed_tools" || choice.type === "custom") {
    throw refusal("tool_choice.type", "is not known to Anthropic; send only the tools that may be called");
  }
  if (choice.type !== "function") return choice;
  const name = memberOf(choice.function, "name");
  if (typeof name !== "string") throw refusal("tool_choice.function.name", "must be a string");
  return { type: "tool", name };
}
