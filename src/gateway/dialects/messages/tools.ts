/** Anthropic's `tools` and `tool_choice` as OpenAI's. */
import { isJsonObject, type JsonObject } from "../../providers/chat.js";
import { invalid, objectAt, stringAt } from "../faults.js";
import { type OnlyNativeNotes, shownType } from "../only-native.js";

/** Tools that the client runs itself, whose parameters only Claude was taught. */
const TAUGHT_TOOL = /^(bash|text_editor|computer|memory)_/;

/**
 * `tools`, `tool_choice` and `parallel_tool_calls` of a chat request; none of them without tools.
 *
 * `strict` is left out, as in the other direction: the schemas that OpenAI and Anthropic enforce differ, and a request
 * whose schema is not among them is refused instead of answered.
 *
 * @throws SextantError naming a tool without a name or schema
 */
export function chatTools(
  { tools, tool_choice }: { readonly tools?: unknown; readonly tool_choice?: unknown },
  notes: OnlyNativeNotes,
): JsonObject {
  if (!Array.isArray(tools)) return {};
  const functions = tools.flatMap((tool: unknown, at) => chatTool(tool, { path: `tools[${at}]`, notes }));
  if (functions.length === 0) return {};
  const choice = isJsonObject(tool_choice) ? tool_choice : {};
  return {
    tools: functions,
    ...chatChoice(choice),
    ...(choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  };
}

interface Place {
  readonly path: string;
  readonly notes: OnlyNativeNotes;
}

function chatTool(tool: unknown, { path, notes }: Place): readonly JsonObject[] {
  if (!isJsonObject(tool)) throw invalid(path, "must be a tool object with a `name`");
  const { type } = tool;
  if (typeof type === "string" && type !== "custom") {
    const what = TAUGHT_TOOL.test(type) ? "Anthropic's tool" : "the server tool";
    notes.add(`${path}.type`, `${what} ${shownType(type)}`);
    return [];
  }
  const description = typeof tool.description === "string" ? { description: tool.description } : {};
  const parameters = objectAt(tool, "input_schema", path);
  return [{ type: "function", function: { name: stringAt(tool, "name", path), ...description, parameters } }];
}

function chatChoice(choice: JsonObject): JsonObject {
  switch (choice.type) {
    case "auto":
      return { tool_choice: "auto" };
    case "any":
      return { tool_choice: "required" };
    case "none":
      return { tool_choice: "none" };
    case "tool":
      return {
        tool_choice: { type: "function", function: { name: stringAt(choice, "name", "tool_choice") } },
      };
    default:
      return {};
  }
}
