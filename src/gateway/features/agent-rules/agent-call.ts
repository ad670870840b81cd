import type { IncomingHttpHeaders } from "node:http";
import { isCompaction } from "../../dialects/responses/compaction.js";
import { isJsonObject, type JsonObject, objectsIn, textOf } from "../../providers/chat.js";
import type { AgentCall, AgentRule } from "./settings.js";

/**
 * Headers that sub-agents' requests have: Claude Code 2.1.197, Codex CLI 0.171.0 (two), and opencode 1.18.33
 * (https://github.com/anomalyco/opencode/pull/12932), as the programs have them on 2026-11-29.
 */
const SUB_AGENT_HEADERS = [
  "x-claude-code-agent-id",
  "x-openai-subagent",
  "x-codex-parent-thread-id",
  "x-parent-session-id",
];

/** How the instructions of a call, or else its last message, begin: the words of the same versions. */
const BEGINNINGS: readonly (readonly [call: AgentCall, beginning: RegExp])[] = [
  ["title", /^\s*(You are a title generator\.|Generate a concise, sentence-case title)/],
  ["summary", /^\s*Summarize what was done in this conversation\./],
  [
    "compaction",
    /^\s*(You are a helpful AI assistant tasked with summarizing conversations|You are a context summarization agent\.|You are performing a CONTEXT CHECKPOINT COMPACTION|(CRITICAL: [^\n]*\n[\s\S]{0,600}?)?Your task is to create a detailed summary of the)/,
  ],
];

/** What a coding agent asks for, by what it says of itself; undefined for the user's turns, and for other clients. */
export function agentCallOf(headers: IncomingHttpHeaders, body: JsonObject): AgentCall | undefined {
  if (isCompaction(body)) return "compaction";
  const texts = [...instructionsOf(body), lastTextOf(body)];
  const said = BEGINNINGS.find(([, beginning]) => texts.some((text) => beginning.test(text)));
  if (said !== undefined) return said[0];
  return SUB_AGENT_HEADERS.some((name) => headers[name] !== undefined) ? "sub-agent" : undefined;
}

/** The first rule for what a request is. */
export function agentRuleFor(
  body: JsonObject,
  {
    agentRules: rules,
    headers,
  }: { readonly agentRules: readonly AgentRule[]; readonly headers: IncomingHttpHeaders },
): AgentRule | undefined {
  if (rules.length === 0) return undefined;
  const call = agentCallOf(headers, body);
  return rules.find(({ when }) => when === call);
}

const turnsOf = ({ messages, input }: JsonObject): readonly JsonObject[] => objectsIn(messages ?? input);

/** Of each API: the parts of a system prompt one by one, since agents put a line about themselves before it. */
function instructionsOf(body: JsonObject): readonly string[] {
  const [first] = turnsOf(body);
  const said =
    isJsonObject(first) && (first.role === "system" || first.role === "developer") ? first.content : "";
  return [body.system, body.instructions, said].flatMap((content) =>
    typeof content === "string" ? [content] : objectsIn(content).map(({ text }) => textOf(text)),
  );
}

function lastTextOf(body: JsonObject): string {
  const last = turnsOf(body).at(-1);
  if (last?.role !== "user") return "";
  const { content } = last;
  return typeof content === "string" ? content : textOf(objectsIn(content).at(-1)?.text);
}
