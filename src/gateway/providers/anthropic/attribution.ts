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
  const [first, ...others] = objectsIn(system);
  const text = first?.text ?? system;
  if (typeof text !== "string" || !ATTRIBUTION.test(text)) return body;
  const rest = text.replace(ATTRIBUTION, "");
  if (first === undefined) return { ...body, system: rest };
  return { ...body, system: rest === "" ? others : [{ ...first, text: rest }, ...others] };
}
