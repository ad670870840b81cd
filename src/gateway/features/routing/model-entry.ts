import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import type { Price } from "../../../engine/catalog/models/price.js";
import { knownModel, LOCAL_EMBEDDER } from "../../../engine/index.js";
import type { ModelBody } from "../../api/models.js";

/** Who `auto` and the local embedder belong to. */
const OURSELVES = "sextant";

/** Sampling fields that every chat model takes unless it is known to refuse them. */
const SAMPLING = [
  "max_tokens",
  "temperature",
  "top_p",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "seed",
];

/** A name of ours in the list, such as `auto`. */
export function ownEntry(id: string, description: string, createdAt: number): ModelBody {
  const embeds = id === LOCAL_EMBEDDER;
  return {
    id,
    object: "model",
    created: createdAt,
    owned_by: OURSELVES,
    name: id,
    description,
    context_length: null,
    architecture: architectureOf(embeds ? ["text"] : ["text", "image"], embeds ? "embeddings" : "text"),
    pricing: embeds ? { prompt: "0", completion: "0" } : null,
    top_provider: { context_length: null, max_completion_tokens: null, is_moderated: false },
    supported_parameters: embeds
      ? []
      : [...SAMPLING, "tools", "tool_choice", "response_format", "structured_outputs", "reasoning_effort"],
  };
}

/**
 * A model as OpenAI lists it, with what pick-lists read beyond that, in the form of OpenRouter's list
 * (https://openrouter.ai/docs/models, read on 2026-11-23), which Cline, Open WebUI, LibreChat and Zed know. Zed wants a
 * `description`: https://github.com/zed-industries/zed, crates/open_router/src/open_router.rs, `ModelEntry`.
 *
 * @param createdAt of a model whose release is not known, in seconds since the epoch
 */
export function modelEntry(id: string, deployment: Deployment, createdAt: number): ModelBody {
  const { provider, contextTokens, price, api } = deployment;
  const { entry } = knownModel(deployment.model);
  const embeds = api === "embeddings";
  const maxOutput = entry?.max_output ?? null;
  return {
    id,
    object: "model",
    created: released(entry?.released) ?? createdAt,
    owned_by: provider,
    name: id,
    description: "",
    context_length: contextTokens,
    architecture: architectureOf(entry?.input ?? ["text"], embeds ? "embeddings" : "text"),
    pricing: pricingOf(price),
    top_provider: { context_length: contextTokens, max_completion_tokens: maxOutput, is_moderated: false },
    supported_parameters: embeds ? [] : parametersOf(deployment, entry),
  };
}

type Entry = ReturnType<typeof knownModel>["entry"];

/** `2025-08-07`, `2025-08` or `2025` → seconds since the epoch. */
function released(day: string | undefined): number | undefined {
  const ms = Date.parse(day ?? "");
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

function architectureOf(input: readonly string[], output: "text" | "embeddings"): ModelBody["architecture"] {
  return {
    modality: `${input.join("+")}->${output}`,
    input_modalities: [...input],
    output_modalities: [output],
  };
}

/** US dollars per token, as decimal texts: a number such as 1.5e-7 is not one that every reader knows. */
function pricingOf(price: Price | null): ModelBody["pricing"] {
  if (price === null) return null;
  const read = price.cachedInputUsdPerMtok;
  const write = price.cacheWriteUsdPerMtok;
  return {
    prompt: perToken(price.inputUsdPerMtok),
    completion: perToken(price.outputUsdPerMtok),
    ...(read === null ? {} : { input_cache_read: perToken(read) }),
    ...(write === null ? {} : { input_cache_write: perToken(write) }),
  };
}

function perToken(usdPerMtok: number): string {
  const text = (usdPerMtok / 1e6).toFixed(12);
  return text.replace(/\.?0+$/, "");
}

function parametersOf({ refuses, effortParameters }: Deployment, entry: Entry): string[] {
  const tools = entry?.tools === false ? [] : ["tools", "tool_choice"];
  const schema = entry?.structured_output === true ? ["response_format", "structured_outputs"] : [];
  const thinks = effortParameters !== undefined ? ["reasoning", "reasoning_effort"] : [];
  return [...SAMPLING, ...tools, ...schema, ...thinks].filter((field) => !refuses.includes(field));
}
