/** How much one call of a model can have used, whatever its provider reports. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ChatBody } from "../providers/chat.js";
import { type EmbeddingBody, inputsOf } from "../providers/embeddings.js";
import { isJsonObject } from "../providers/json-object.js";
import type { NativeRequest } from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";

/** Most tokens of the prompt, and of all answers together. */
export type UsageBound = Pick<TokenUsage, "promptTokens" | "completionTokens">;

/** Context window where none is known: the largest that is published (Llama 4 Scout). */
const LARGEST_WINDOW_TOKENS = 10_000_000;

/** Calls of a model behind one request, all of which are counted, when the provider runs tools itself (guess, on the high side). */
const MOST_TOOL_CALLS = 100;

export interface SentChat {
  readonly body: ChatBody;
  readonly native: NativeRequest | undefined;
}

/**
 * A context window for the prompt, and one for each answer: some providers publish a window for the prompt alone. More where
 * the provider runs tools itself, because each round counts the prompt again.
 */
export function chatUsageBound({ contextTokens }: Deployment, { body, native }: SentChat): UsageBound {
  const window = contextTokens ?? LARGEST_WINDOW_TOKENS;
  const promptTokens = runsTools(native?.body ?? body) ? window * MOST_TOOL_CALLS : window;
  const answers = typeof body.n === "number" ? Math.max(1, body.n) : 1;
  return { promptTokens, completionTokens: promptTokens * answers };
}

/** A context window for each input. */
export function embeddingUsageBound({ contextTokens }: Deployment, body: EmbeddingBody): UsageBound {
  const window = contextTokens ?? LARGEST_WINDOW_TOKENS;
  return { promptTokens: window * inputsOf(body).length, completionTokens: 0 };
}

/** Whether some tool is neither a function nor another one that the client runs. */
function runsTools({ tools }: { readonly tools?: unknown }): boolean {
  if (!Array.isArray(tools)) return false;
  return tools.some(
    (tool: unknown) => isJsonObject(tool) && typeof tool.type === "string" && !CLIENT_TOOLS.has(tool.type),
  );
}

const CLIENT_TOOLS: ReadonlySet<string> = new Set(["function", "custom"]);

/** The same object when it is within the bound; otherwise no count is larger than its bound, and no part than its whole. */
export function withinBound(tokens: TokenUsage, bound: UsageBound): TokenUsage {
  if (tokens.promptTokens <= bound.promptTokens && tokens.completionTokens <= bound.completionTokens)
    return tokens;
  const promptTokens = Math.min(tokens.promptTokens, bound.promptTokens);
  const completionTokens = Math.min(tokens.completionTokens, bound.completionTokens);
  const cacheReadTokens = Math.min(tokens.cacheReadTokens, promptTokens);
  const cacheWriteTokens = Math.min(tokens.cacheWriteTokens, promptTokens - cacheReadTokens);
  return {
    ...tokens,
    promptTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: Math.min(tokens.cacheWriteHourTokens, cacheWriteTokens),
    completionTokens,
    reasoningTokens: Math.min(tokens.reasoningTokens, completionTokens),
  };
}
