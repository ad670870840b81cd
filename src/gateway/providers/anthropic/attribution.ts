import { objectsIn } from "../chat.js";

/**
 * What Claude Code puts first into `system` for Anthropic's own API: https://code.claude.com/docs/en/llm-gateway-protocol. It changes with
 * each request, so that elsewhere, as text, it leaves no prefix of a prompt for a cache: github.com/api7/aisix/pull/1144 (2026-09-07),
 * in a text of its own or before others, github.com/waybarrios/vllm-mlx/pull/277 (2026-04-10).
 */
const ATTRIBUTION = /^\s*x-anthropic-billing-header:[^\n]*\n?/;

/** A Messages request without it; itself where it has none. */
export function withoutAttribution<Body extends { readonly system?: unknown }>(body: Body): Body {
  const { system } = body;
  if (typeof system === "string") return ATTRIBUTION.test(system) ? { ...body, system: rest(system) } : body;
  const [first, ...others] = objectsIn(system);
  if (typeof first?.text !== "string" || !ATTRIBUTION.test(first.text)) return body;
  const text = rest(first.text);
  return { ...body, system: text === "" ? others : [{ ...first, text }, ...others] };
}

const rest = (text: string): string => text.replace(ATTRIBUTION, "");
