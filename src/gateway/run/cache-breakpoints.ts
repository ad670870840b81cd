/** Marks what a vendor is to cache, for vendors that cache nothing unmarked, where the caller marks nothing. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { isJsonObject, type JsonObject, objectsIn } from "../providers/chat.js";
import type { Provider } from "../providers/provider.js";
import { HAS_HOSTS_OF_ITS_OWN } from "./host-preferences.js";

/**
 * Least tokens of a prompt that Claude caches, by model; a shorter one is answered without caching, at no further cost.
 * https://dev.to/creeta/claudes-prompt-cache-fails-silently-below-1024-tokens-1ch1 (2026), as an excerpt of it was seen
 * on 2026-11-26: 512 from Opus 5 on, 1,024 for Sonnet 4.5 to 5 and Opus 4.8, 2,048 for Opus 4.7, 4,096 for Opus 4.5 and
 * 4.6 and Haiku 4.5. Sonnet 4.6 caches from 2,048 on, whatever is documented:
 * https://github.com/anthropics/anthropic-sdk-python/issues/1194. Haiku after 4.5, and names of no version: a guess, the
 * largest of them.
 */
const LEAST_TOKENS: readonly (readonly [RegExp, number])[] = [
  [/opus-4[-.][56](?!\d)|haiku-4[-.]5/, 4096],
  [/opus-4[-.]7(?!\d)|sonnet-4[-.]6(?!\d)|haiku-3|3(?:[-.]5)?-haiku/, 2048],
  [/sonnet-[345]|opus-[34]|3(?:[-.][57])?-(?:sonnet|opus)/, 1024],
  [/opus-5/, 512],
];
const LEAST_OF_OTHERS = 4096;

interface AskedOf {
  readonly deployment: Pick<Deployment, "provider" | "upstreamModel">;
  readonly provider: Pick<Provider, "natives"> | undefined;
  /** Of the whole request, as estimated. */
  readonly promptTokens: number;
}

/**
 * The body with one breakpoint that the vendor moves to the end of the prompt, for Claude at Anthropic and OpenRouter:
 * `cache_control` beside the messages, https://doc.tonyhub.xyz/claude/api/en/build-with-claude/prompt-caching.html and
 * https://openrouter.ai/docs/sdks/go/api-reference/models/anthropiccachecontroldirective (as indexed on 2026-11-26).
 * Writing costs a quarter more than reading a prompt without cache, so that only prompts that are likely to continue
 * are marked: those with an answer in them, and those that offer several tools (guess: an agent's; a single one is
 * often the form of an answer).
 */
export function withCacheBreakpoint<Body extends JsonObject>(body: Body, asked: AskedOf): Body {
  const { deployment, provider, promptTokens } = asked;
  const { upstreamModel } = deployment;
  const takesMarks =
    deployment.provider === HAS_HOSTS_OF_ITS_OWN || provider?.natives.has("messages") === true;
  if (!takesMarks || !/claude/i.test(upstreamModel)) return body;
  if (promptTokens < leastTokens(upstreamModel) || !isContinued(body) || isMarked(body)) return body;
  return { ...body, cache_control: { type: "ephemeral" } };
}

/** Least tokens of a prompt that a model of Claude caches. */
export const leastTokens = (model: string): number =>
  LEAST_TOKENS.find(([pattern]) => pattern.test(model.toLowerCase()))?.[1] ?? LEAST_OF_OTHERS;

const isContinued = ({ messages, tools }: JsonObject): boolean =>
  objectsIn(tools).length > 1 || objectsIn(messages).some(({ role }) => role === "assistant");

/** Whether the caller has marked anything itself, in either vendor's form. */
const isMarked = (body: JsonObject): boolean =>
  body.cache_control !== undefined || [body.messages, body.system, body.tools].some(holdsMark);

const holdsMark = (list: unknown): boolean =>
  objectsIn(list).some(
    (one) =>
      one.cache_control !== undefined ||
      (isJsonObject(one.function) && one.function.cache_control !== undefined) ||
      holdsMark(one.content),
  );
