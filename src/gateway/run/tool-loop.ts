/** What the messages of a request say of the tool loop that it is part of. */
import { isTelling, ownText } from "../../engine/index.js";
import { type JsonObject, objectsIn, RETURNED_BY_TOOL } from "../providers/chat.js";
import type { ToolLoop } from "../traces/trace.js";
import { calledFunction, textPieces, textWithCalls } from "./conversation-text.js";

/**
 * So many turns in a row with the same calls are a stuck loop (a guess): google-gemini/gemini-cli, loopDetectionService.ts, stops
 * at 5, sst/opencode, processor.ts, asks the user at 3 (2026-11-26). Waiting for something takes three calls as well.
 */
export const STUCK_TURNS = 5;

/** The newest messages that calls and errors are counted in: a loop that is longer is counted short. */
const MOST_MESSAGES = 500;
/** Characters of a call and of a result that are looked at, from the beginning. */
const MOST_CHARACTERS = 4000;

/**
 * How results of failed calls begin (a guess): only Anthropic's API has a mark for them, which is translated to `Error:`. Claude
 * Code's is `<tool_use_error>`; Codex has the exit code after other lines (openai/codex, unified_exec.rs; 2026-11-29), opencode none.
 */
const FAILED =
  /^\s*(?:error\b|<tool_use_error>|traceback \(|\{"error"|(?:(?:chunk id|wall time): .*\n)*(?:process exited with|exit) code:? -?[1-9])/i;

/** Whether the messages to answer are results of tools, and say nothing of the user's own that could be decided by. */
export function isInToolLoop(messages: readonly JsonObject[]): boolean {
  const news = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  return news.some(({ role }) => role === "tool") && !news.some((message) => isTelling(textOfUser(message)));
}

/**
 * Turns, calls and failures since the user last wrote something. Undefined where no tool was called since. O(n) in the messages, at most
 * `MOST_MESSAGES` of which are read.
 */
export function toolLoopOf(messages: readonly JsonObject[]): Omit<ToolLoop, "context_share"> | undefined {
  if (!messages.some(({ role }) => role === "tool")) return undefined;
  const asked = messages.findLastIndex((message) => textOfUser(message) !== "");
  const loop = messages.slice(Math.max(asked + 1, messages.length - MOST_MESSAGES));
  const results = loop.filter(({ role }) => role === "tool");
  if (results.length === 0) return undefined;
  const turns = loop.filter(({ role }) => role === "assistant").map(callsOf);
  const calls = turns.flat();
  const last = turns.at(-1)?.join("\n") ?? "";
  const inARow = turns.length - 1 - turns.findLastIndex((turn) => turn.join("\n") !== last);
  const isStuck = last !== "" && inARow >= STUCK_TURNS;
  return {
    state: isStuck ? "stuck" : "running",
    turn: turns.length + 1,
    tool_errors: results.filter((result) => FAILED.test(textWithCalls(result).slice(0, MOST_CHARACTERS)))
      .length,
    repeated_calls: calls.length - new Set(calls).size,
    stuck_tool: isStuck ? last.slice(0, last.indexOf("\u0000")) : null,
  };
}

/** Whether a loop failed that often, or is stuck. At 0 never, and nothing is read. */
export function isFailing(messages: readonly JsonObject[], mostErrors: number): boolean {
  if (mostErrors === 0) return false;
  const loop = toolLoopOf(messages);
  return loop !== undefined && (loop.tool_errors >= mostErrors || loop.state === "stuck");
}

/** Of a user's message, without what agents and tools add; empty for others. */
function textOfUser(message: JsonObject): string {
  const text = message.role === "user" ? ownText(textPieces(message.content)).text.trim() : "";
  return text.startsWith(RETURNED_BY_TOOL) ? "" : text;
}

/** The calls of an answer, each with its arguments. Longer ones of the same length that begin alike are taken for equal. */
const callsOf = ({ tool_calls: calls }: JsonObject): readonly string[] =>
  objectsIn(calls).map((call) => {
    const { name, given } = calledFunction(call);
    return `${name}\u0000${given.length} ${given.slice(0, MOST_CHARACTERS)}`;
  });
