import { type ChatBody, isJsonObject, type JsonObject, textOf } from "../chat.js";
import { sampleJson } from "./sample-json.js";

/** One choice of an answer. */
export interface SandboxAnswer {
  /** The text in words, none for a call. */
  readonly words: readonly string[];
  readonly call: ToolCall | null;
  readonly finish: "stop" | "length" | "tool_calls";
  /** Words of everything the choice says. */
  readonly tokens: number;
}

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Which of the `n` answers to one request. */
export interface ChoicePosition {
  readonly index: number;
  readonly of: number;
}

/**
 * The sandbox's answer to a request: a call of the tool that the request forces, JSON that fits its schema, or a text that
 * says what it is. `stop` and the limit of tokens hold for texts and JSON, as they do for models.
 */
export function sandboxAnswer(model: string, body: ChatBody, position: ChoicePosition): SandboxAnswer {
  const tool = insistedTool(body);
  if (tool !== null) return callOf(tool, position);
  const text = jsonText(body.response_format) ?? notice(model, position);
  const stopped = wordsOf(upToStop(text, body.stop));
  const limit = limitOf(body);
  const words = stopped.slice(0, limit);
  return { words, call: null, finish: stopped.length > limit ? "length" : "stop", tokens: words.length };
}

function notice(model: string, { index, of }: ChoicePosition): string {
  const which = of === 1 ? "" : ` (answer ${index + 1} of ${of})`;
  return (
    `[sandbox]${which} This text was not written by a model. The request asked for ${model}, and the sandbox provider ` +
    "answered it without sending it anywhere. For real answers, give this server the key of a provider that serves the " +
    "model (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and others) and switch SEXTANT_SANDBOX off."
  );
}

/** The function that `tool_choice` names, or the first one when any will do; null when the choice is free. */
function insistedTool({ tools, tool_choice: choice }: ChatBody): JsonObject | null {
  const functions = (Array.isArray(tools) ? tools : [])
    .map(functionOf)
    .filter((definition) => definition !== null);
  if (choice === "required") return functions[0] ?? null;
  const named = functionOf(choice);
  return named === null ? null : (functions.find(({ name }) => name === named.name) ?? null);
}

function functionOf(holder: unknown): JsonObject | null {
  return isJsonObject(holder) && isJsonObject(holder.function) ? holder.function : null;
}

function callOf({ name, parameters }: JsonObject, { index }: ChoicePosition): SandboxAnswer {
  const sample = sampleJson({ type: "object", ...(isJsonObject(parameters) ? parameters : {}) });
  const text = JSON.stringify(sample);
  const call = {
    id: `call_sandbox_${index}`,
    type: "function",
    function: { name: String(name), arguments: text },
  } as const;
  return { words: [], call, finish: "tool_calls", tokens: wordsOf(text).length };
}

/** Null unless the answer has to be JSON. */
function jsonText(format: unknown): string | null {
  if (!isJsonObject(format)) return null;
  if (format.type === "json_schema" && isJsonObject(format.json_schema)) {
    const { schema } = format.json_schema;
    if (isJsonObject(schema)) return JSON.stringify(sampleJson(schema));
  }
  if (format.type !== "json_object" && format.type !== "json_schema") return null;
  return JSON.stringify({ sandbox: "This object was not written by a model." });
}

function upToStop(text: string, stop: unknown): string {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter(
    (sequence) => typeof sequence === "string" && sequence !== "",
  );
  const positions = sequences.map((sequence: string) => text.indexOf(sequence)).filter((at) => at >= 0);
  return text.slice(0, Math.min(text.length, ...positions));
}

function limitOf({ max_completion_tokens: newer, max_tokens: older }: ChatBody): number {
  const limit = newer ?? older;
  return typeof limit === "number" ? Math.max(0, limit) : Number.POSITIVE_INFINITY;
}

/** The sandbox's tokens: a word and the white space after it. Joined again they are the text from its first word on. */
export const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? [];

/** Words of all texts of a conversation; images and the like count nothing. */
export const promptWords = ({ messages }: ChatBody): number =>
  messages.reduce((sum, { content }) => sum + wordsOf(textOf(content, " ")).length, 0);
