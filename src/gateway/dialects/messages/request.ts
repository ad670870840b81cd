import { createHash } from "node:crypto";
import type { MessagesRequestBody } from "../../api/messages-request.js";
import { withoutAttribution } from "../../providers/anthropic/attribution.js";
import { offeredTools } from "../../providers/anthropic/offered-tools.js";
import { isJsonObject, type JsonObject, memberOf, withoutNulls } from "../../providers/chat.js";
import { invalid, objectAt, stringAt } from "../faults.js";
import { OnlyNativeNotes, shownType, type TranslatedRequest } from "../only-native.js";
import { chatMessages } from "./conversation.js";

/**
 * A request of Anthropic's Messages API as a chat request for any model. Pure. What is said and what is not:
 * docs/messages.md, docs/translation.md.
 *
 * @throws SextantError `invalid_request`, naming the field that breaks Anthropic's API
 */
export function chatBodyFromMessages(request: MessagesRequestBody): TranslatedRequest {
  const notes = new OnlyNativeNotes();
  noteNativeFields(request, notes);
  const body = {
    messages: chatMessages(withoutAttribution(request), notes),
    ...chatTools(request, notes),
    ...withoutNulls({
      max_tokens: request.max_tokens,
      temperature: request.temperature,
      top_p: request.top_p,
      stop: request.stop_sequences?.length === 0 ? null : request.stop_sequences,
      user: userOf(request.metadata?.user_id),
      response_format: responseFormat(request),
      service_tier: request.service_tier === "standard_only" ? "default" : null,
    }),
  };
  const effort = reasoningEffort(request.thinking, lastConfig(request));
  return { body, effort, onlyNative: notes.first };
}

/** Fields that an answer could not leave out without being another one. */
const NATIVE_FIELDS: Readonly<Record<string, string>> = {
  container: "a container",
  mcp_servers: "MCP servers that Anthropic connects to",
  inference_geo: "a region of inference",
  // It comes with the newest messages alone: an answer to them would not know the others.
  thread: "a conversation kept by the provider",
};

/** Ways to shorten the prompt as it is read; without them the model reads all of it. */
const CLEARING_EDIT = /^clear_(thinking|tool_uses)_/;

function noteNativeFields(request: MessagesRequestBody, notes: OnlyNativeNotes): void {
  if (request.max_tokens === 0) notes.add("max_tokens", "a prompt cache to be filled without an answer");
  for (const [field, what] of Object.entries(NATIVE_FIELDS)) {
    const value = request[field] ?? null;
    if (value !== null && !(Array.isArray(value) && value.length === 0)) notes.add(field, what);
  }
  const edits = memberOf(request.context_management, "edits");
  for (const [at, edit] of (Array.isArray(edits) ? edits : []).entries()) {
    const type = String(memberOf(edit, "type") ?? "");
    if (CLEARING_EDIT.test(type)) continue;
    notes.add(`context_management.edits[${at}].type`, `the context edit ${shownType(type)}`);
  }
}

/** OpenAI takes no longer `user`. */
const MAX_USER_CHARACTERS = 64;

/** A longer id, such as Claude Code's, is its SHA-256 in hexadecimal: as long as may be, and still one for each user. */
function userOf(id: unknown): string | null {
  if (typeof id !== "string" || id === "") return null;
  return id.length <= MAX_USER_CHARACTERS ? id : createHash("sha256").update(id).digest("hex");
}

/**
 * The least budgets of thinking tokens for which an effort is asked, highest first: what `providers/anthropic/thinking.ts`
 * gives for these efforts. No budget asks for more than `high`, which every reasoning model knows.
 */
const EFFORTS_BY_BUDGET = [
  [16_384, "high"],
  [4_096, "medium"],
  [0, "low"],
] as const;

/** The newest: a message may change it. https://platform.claude.com/docs/en/build-with-claude/effort-per-message, read 2026-11-29. */
const lastConfig = ({ output_config, messages }: MessagesRequestBody): unknown =>
  messages.findLast((message) => isJsonObject(message.output_config))?.output_config ?? output_config;

/** What adaptive thinking does when `output_config` names no effort. platform.claude.com/docs/en/build-with-claude/effort */
const ADAPTIVE_EFFORT = "high";

/**
 * The effort that `thinking` and `output_config.effort` ask for; the latter counts more than a budget. Null leaves the model
 * to its own ways: nothing was asked for, or thinking is off, for which models have no common word.
 */
function reasoningEffort(thinking: unknown, outputConfig: unknown): string | null {
  const asked: JsonObject = isJsonObject(thinking) ? thinking : {};
  const effort = memberOf(outputConfig, "effort");
  if (asked.type === "disabled") return null;
  if (typeof effort === "string") return effort;
  if (asked.type === "adaptive") return ADAPTIVE_EFFORT;
  const budget = asked.budget_tokens;
  if (asked.type !== "enabled" || typeof budget !== "number") return null;
  return EFFORTS_BY_BUDGET.find(([least]) => budget >= least)?.[1] ?? null;
}

/** OpenAI wants a name for every schema. */
const SCHEMA_NAME = "answer";

/**
 * `response_format` for `output_config.format`, or for `output_format`, its earlier name. Null without one. `strict`, which
 * makes OpenAI enforce the schema, is set where it takes the schema so.
 *
 * @throws SextantError for a format that is no JSON schema
 */
function responseFormat({ output_config, output_format }: JsonObject): JsonObject | null {
  const configured = memberOf(output_config, "format");
  const format = configured ?? output_format ?? null;
  const path = (configured ?? null) === null ? "output_format" : "output_config.format";
  if (format === null) return null;
  if (!isJsonObject(format) || format.type !== "json_schema")
    throw invalid(`${path}.type`, "must be json_schema");
  const schema = objectAt(format, "schema", path);
  return { type: "json_schema", json_schema: { name: SCHEMA_NAME, schema, strict: isStrict(schema) } };
}

/**
 * Whether every object of a schema names all its keys and requires them: what OpenAI asks of strict schemas, and Anthropic
 * does not. platform.openai.com/docs/guides/structured-outputs
 */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  if (schema.type === "object" || schema.properties !== undefined) {
    const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    if (schema.additionalProperties !== false || !names.every((name) => required.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrict);
}

/** Anthropic's `tools` and `tool_choice` as OpenAI's. */

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
function chatTools(
  request: Pick<MessagesRequestBody, "tools" | "tool_choice" | "messages">,
  notes: OnlyNativeNotes,
): JsonObject {
  const { tools, tool_choice } = request;
  const listed: readonly unknown[] = tools ?? [];
  const functions = offeredTools(request).flatMap((tool) => {
    const at = listed.indexOf(tool);
    return chatTool(tool, { path: at < 0 ? "messages.tool" : `tools[${at}]`, notes });
  });
  if (functions.length === 0) return {};
  const choice: JsonObject = isJsonObject(tool_choice) ? tool_choice : {};
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
