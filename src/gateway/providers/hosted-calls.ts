import { isJsonObject } from "./json-object.js";
import type { TokenUsage } from "./token-usage.js";

type HostedCalls = NonNullable<TokenUsage["hostedCalls"]>;

/** Output items of the Responses API that are charged for by the call or the time, by what they are called in usage. */
const CHARGED: ReadonlyMap<unknown, string> = new Map([
  ["web_search_call", "web_search"],
  ["file_search_call", "file_search"],
  ["code_interpreter_call", "code_interpreter"],
  ["image_generation_call", "image_generation"],
  ["shell_call", "shell"],
]);

/** The calls of tools that a provider ran itself, among the output items of a response. */
export function hostedCallsIn(output: unknown): { readonly hostedCalls?: HostedCalls } {
  if (!Array.isArray(output)) return {};
  const calls: Record<string, number> = {};
  for (const item of output) {
    if (!isJsonObject(item)) continue;
    const name = CHARGED.get(item.type);
    // A search that opens a page or looks for a text in one is no further search.
    const action = isJsonObject(item.action) ? item.action.type : "search";
    if (name === undefined || (name === "web_search" && action !== "search")) continue;
    calls[name] = (calls[name] ?? 0) + 1;
  }
  return Object.keys(calls).length === 0 ? {} : { hostedCalls: calls };
}

/** Most calls of a tool that one answer is believed to have made (guess): an absurd count must not spend a budget. */
const MOST_CALLS = 1000;

/** The same from Anthropic's `server_tool_use`, which names `web_search_requests` and others. Fetches are not charged for. */
export function serverToolCalls(use: unknown): { readonly hostedCalls?: HostedCalls } {
  if (!isJsonObject(use)) return {};
  const calls = Object.entries(use).flatMap(([name, count]) =>
    /^[a-z_]{1,40}_requests$/.test(name) && name !== "web_fetch_requests" && isCount(count)
      ? [[name.slice(0, -"_requests".length), Math.min(count, MOST_CALLS)] as const]
      : [],
  );
  return calls.length === 0 ? {} : { hostedCalls: Object.fromEntries(calls) };
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;
