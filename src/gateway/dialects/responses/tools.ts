/** The tools of a Responses request as chat has them: no groups, and, for most vendors' models, functions alone. */
import { createHash } from "node:crypto";
import { MAX_TOOLS } from "../../api/fields.js";
import {
  type ChatBody,
  isJsonObject,
  type JsonObject,
  objectsIn,
  parsedJson,
  withoutNulls,
} from "../../providers/chat.js";
import { invalid, stringAt } from "../faults.js";

export interface GivenTool {
  readonly tool: JsonObject;
  /** Path of the tool in the request. */
  readonly path: string;
  /** Name of the group (`namespace`) that it is in. */
  readonly group?: unknown;
}

/**
 * Items of the input that make tools known: those that Codex declares for GPT-5.6 and later (seen in 0.171.0 on 2026-11-29), and those
 * that a search found (https://developers.openai.com/api/docs/guides/tools-tool-search, 2026-11-29).
 */
export const TOOL_ITEMS: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

/**
 * All tools, those in groups (https://developers.openai.com/api/docs/guides/function-calling, 2026-11-29) one by one. Of those that
 * have a name in common, as when they were found again, the first.
 *
 * @throws SextantError `invalid_request` for a tool without a type or a name, or with a long one, a group in a group, or too many tools
 */
export function toolsIn(body: JsonObject): readonly GivenTool[] {
  const tools: GivenTool[] = [];
  const known = new Map<unknown, Set<unknown>>();
  for (const given of allTools(body)) {
    if (isKnown(given, known)) continue;
    if (tools.length === MAX_TOOLS)
      throw invalid(
        given.path,
        `is one too many: there may be ${MAX_TOOLS} tools, those in groups and in items counted`,
      );
    tools.push(given);
  }
  return tools;
}

function* allTools({ tools, input }: JsonObject): Generator<GivenTool> {
  yield* listed(tools, "tools");
  for (const [at, item] of Array.isArray(input) ? input.entries() : [])
    if (isJsonObject(item) && TOOL_ITEMS.has(item.type)) yield* listed(item.tools, `input[${at}].tools`);
}

function* listed(tools: unknown, path: string, group?: string): Generator<GivenTool> {
  for (const [at, tool] of objectsIn(tools).entries()) {
    const here = `${path}[${at}]`;
    const type = labelAt(tool, "type", here);
    if (type !== "namespace") {
      if (isCalled(tool)) labelAt(tool, "name", here);
      yield { tool, path: here, ...(group !== undefined && { group }) };
    } else {
      if (group !== undefined) throw invalid(here, "is a group of tools within a group");
      yield* listed(tool.tools, `${here}.tools`, labelAt(tool, "name", here));
    }
  }
}

/** Four times what vendors take. */
const MOST_LABEL_CHARACTERS = 256;

function labelAt(tool: JsonObject, member: "type" | "name", path: string): string {
  const label = stringAt(tool, member, path);
  if (label.length <= MOST_LABEL_CHARACTERS) return label;
  throw invalid(`${path}.${member}`, `has more than ${MOST_LABEL_CHARACTERS} characters`);
}

/** Whether a tool of that name was met before in its group; notes it. */
function isKnown({ tool, group }: GivenTool, known: Map<unknown, Set<unknown>>): boolean {
  if (!isCalled(tool)) return false;
  const names = known.get(group) ?? new Set();
  known.set(group, names);
  return names.size === names.add(tool.name).size;
}

/** Whether the client runs the tool, which a model calls by its name. */
export const isCalled = ({ type }: JsonObject): boolean => type === "function" || type === "custom";

/** What a call, a choice or a tool names. */
interface Named {
  readonly name?: unknown;
  readonly namespace?: unknown;
}

/** A call as Responses names it. */
export interface OwnName {
  readonly name: string;
  readonly namespace?: string;
  /** Whether it is of a custom tool, whose input is a text. */
  readonly custom: boolean;
}

/**
 * Names of tools in chat. One in a group gets its group's name and its own, changed where vendors would refuse that or another
 * tool has it, and always the same for the same tools.
 */
export class ToolNames {
  readonly #inChat = new Map<string, string>();
  /** By the name in chat; without plain functions. */
  readonly #own = new Map<string, OwnName>();

  constructor(tools: readonly GivenTool[]) {
    const called = tools.filter(({ tool }) => isCalled(tool));
    const taken = new Set(called.flatMap(({ tool, group }) => (group === undefined ? [tool.name] : [])));
    for (const { tool, group: namespace } of called) {
      const { name, type } = tool;
      if (typeof name !== "string") continue;
      const custom = type === "custom";
      if (typeof namespace !== "string") {
        if (custom) this.#own.set(name, { name, custom });
        continue;
      }
      const joined = joinedName(namespace, name);
      const inChat = taken.has(joined) ? digestName(namespace, name) : joined;
      taken.add(inChat);
      this.#inChat.set(key(namespace, name), inChat);
      this.#own.set(inChat, { name, namespace, custom });
    }
  }

  /** A tool that the request does not declare, as in an earlier turn, gets its name by the same rule. */
  inChat({ name, namespace }: Named): unknown {
    if (typeof namespace !== "string" || typeof name !== "string") return name;
    return this.#inChat.get(key(namespace, name)) ?? joinedName(namespace, name);
  }

  /** Undefined for what chat names as the request does. */
  own(inChat: unknown): OwnName | undefined {
    return typeof inChat === "string" ? this.#own.get(inChat) : undefined;
  }
}

const key = (namespace: string, name: string): string => JSON.stringify([namespace, name]);

/** `^[a-zA-Z0-9_-]{1,64}$` is what OpenAI takes: https://portkey.ai/error-library/input-validation-error-10046 (2026-11-29). */
const MOST_NAME_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;

function joinedName(namespace: string, name: string): string {
  const joined = `${namespace}__${name}`;
  const isFit = joined.length <= MOST_NAME_CHARACTERS && /^[\w-]+$/.test(joined);
  return isFit ? joined : digestName(namespace, name);
}

function digestName(namespace: string, name: string): string {
  const digest = createHash("sha256").update(key(namespace, name)).digest("hex").slice(0, DIGEST_CHARACTERS);
  const readable = `${namespace}__${name}`.replaceAll(/[^\w-]/g, "_");
  return `${readable.slice(0, MOST_NAME_CHARACTERS - DIGEST_CHARACTERS - 1)}_${digest}`;
}

/** `{type: "function", name, …}` → `{type: "function", function: {name, …}}`, and the same for custom tools. */
export function chatTool({ tool, path, group: namespace }: GivenTool, names: ToolNames): JsonObject {
  const { type, ...rest } = tool;
  if (type !== "function" && type !== "custom") return tool;
  const named = { ...withoutNulls(rest), name: names.inChat({ name: rest.name, namespace }) };
  return {
    type,
    [type]: type === "custom" ? { ...named, ...customFormat(rest.format, `${path}.format`) } : named,
  };
}

/** A grammar stands one level deeper in chat. */
function customFormat(format: unknown, path: string): JsonObject {
  if (!isJsonObject(format) || format.type !== "grammar") return {};
  const { type, ...grammar } = format;
  stringAt(grammar, "syntax", path);
  stringAt(grammar, "definition", path);
  return { format: { type, grammar } };
}

/** A body for models that take functions alone: custom tools, and calls of them, are functions with one text, and built-in tools are left out. */
export function withFunctions({ tools, tool_choice: choice, messages, ...fields }: ChatBody): ChatBody {
  const functions = objectsIn(tools).filter(isCalled).map(functionOf);
  return {
    ...fields,
    ...(functions.length > 0 && { tools: functions }),
    ...(functions.length > 0 && choice !== undefined && { tool_choice: choiceOf(choice) }),
    messages: messages.map((message) => {
      const { tool_calls: calls } = message;
      return Array.isArray(calls) ? { ...message, tool_calls: calls.map(callOf) } : message;
    }),
  };
}

/** The parameter that stands for the text of a custom tool. */
const INPUT = "input";
const PARAMETERS = {
  type: "object",
  properties: { [INPUT]: { type: "string" } },
  required: [INPUT],
  additionalProperties: false,
};

function functionOf(tool: JsonObject): JsonObject {
  if (!isJsonObject(tool.custom)) return tool;
  const { name, description, format } = tool.custom;
  const grammar = isJsonObject(format) && isJsonObject(format.grammar) ? format.grammar : undefined;
  const rule = grammar && `\`${INPUT}\` follows this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const said = [description, rule].filter((text) => typeof text === "string" && text !== "").join("\n\n");
  return { type: "function", function: { name, description: said, parameters: PARAMETERS } };
}

function choiceOf(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, custom, allowed_tools: allowed } = choice;
  if (type === "custom") return { type: "function", function: custom };
  if (!isJsonObject(allowed)) return choice;
  const tools = objectsIn(allowed.tools).filter(isCalled).map(choiceOf);
  return { type, allowed_tools: { ...allowed, tools } };
}

function callOf(call: JsonObject): JsonObject {
  if (!isJsonObject(call.custom)) return call;
  const { name, input } = call.custom;
  const { id, extra_content } = call;
  const given = { name, arguments: JSON.stringify({ [INPUT]: input }) };
  return { id, type: "function", function: given, ...(extra_content !== undefined && { extra_content }) };
}

/** The text of a custom tool's call that was made as a function; the arguments themselves where they hold none. */
export function customInput(given: string): string {
  const parsed = parsedJson(given, "plain");
  return isJsonObject(parsed) && typeof parsed[INPUT] === "string" ? parsed[INPUT] : given;
}
