import type OpenAI from "openai";

/** Tokens and costs of one request; nine members that are always there, and what the provider sent beside them. */
export interface Usage extends OpenAI.CompletionUsage {
  /** Cached prompt tokens included. */
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Of the prompt tokens that were not cached, US dollars; the four costs are null where no price is known. */
  input_cost_usd: number | null;
  output_cost_usd: number | null;
  /** Of the cached prompt tokens. */
  cache_input_cost_usd: number | null;
  /** Sum of the three. */
  total_cost_usd: number | null;
  /** From the arrival of the request to the end of the answer. */
  latency_ms: number;
  /** From the arrival of the request to its first content. */
  ttft_ms: number;
  /** Present when the gateway counted the tokens itself, because the provider sent no count. */
  estimated?: true;
}
