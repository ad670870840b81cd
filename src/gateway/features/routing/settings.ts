import { z } from "zod";
import { DEFAULT_COST_WEIGHT, SHIPPED_PROFILES } from "../../../engine/index.js";
import { latencyWeight, maxLatencyMs } from "../../../foundation/latency-fields.js";
import { capFields } from "../../access/request-caps.js";
import { decimal, field, listFromText, oneOf } from "../../settings/field.js";

const presetName = { error: "it must be a letter and up to 63 letters, digits, dots, dashes or underscores" };

/** An entry of `presets`. */
export const presetSchema = z.strictObject({
  name: z.string(presetName).regex(/^[a-z][\w.-]{0,63}$/i, presetName),
  models: z.array(z.string().min(1)).min(2).max(256).optional(),
  cost_weight: z.number().min(0).max(1).optional(),
  max_tokens: z.int().min(1).optional(),
  max_latency_ms: maxLatencyMs,
  latency_weight: latencyWeight,
  ...capFields,
});

/** What decisions are made with. */
export const routingSettings = {
  embedder: field(
    z.string().min(1).optional(),
    "Model that turns text into vectors: a Hugging Face hub id or a folder. Default: the shipped one. Others may need [a " +
      "further package](#another-embedder).",
    { expects: "a hub id such as `sentence-transformers/all-MiniLM-L6-v2`, or a folder" },
  ),
  profiles: field(
    listFromText(z.string().min(1)).default([SHIPPED_PROFILES]),
    "Profile sets, or folders of them, separated by commas. Default: the shipped ones.",
    { expects: "one or more folders" },
  ),
  exploreShare: decimal(
    { from: 0, to: 0.5, usual: 0 },
    "Share of routed requests that go to a model drawn at random, for [learning from traffic](learning.md): one of up to " +
      "eight that may be as good as the chosen one, at no more than five times its expected cost, so that expected spend " +
      "rises by at most four times the share. Decisions carry the probability of their choice (`routing.exploration`). " +
      "Requests with `execute: false`, and those that continue a conversation, do not take part.",
  ),
  autoCostWeight: decimal(
    { from: 0, to: 1, usual: DEFAULT_COST_WEIGHT },
    'Cost weight of `model: "auto"` where neither the request (`router.cost_weight`, `auto:0.3`, a preset, the header ' +
      "`x-sextant-cost-weight`) nor its API key sets one. 0 ignores cost, 1 picks the cheapest model.",
  ),
  presets: field(
    z
      .array(presetSchema)
      .refine((presets) => new Set(presets.map(({ name }) => name)).size === presets.length, {
        error: "two presets have the same name",
      })
      .default([]),
    'Named ways to choose: `model: "auto:support"` chooses by the preset `support`. Each has a `name` and optionally ' +
      "`models` (candidates), `cost_weight`, `max_tokens` (of an answer), `max_latency_ms` and `latency_weight` (as in POST " +
      "/v1/router), and [caps on each request](access.md#caps-on-one-request).",
    { expects: "a list of presets, each with a `name`" },
  ),
  baselineModel: field(
    z.string().min(1).optional(),
    "Model that would answer everything without routing. Every routed answer is compared with its cost for the same tokens " +
      "and caches: [savings](savings.md). Each request keeps the baseline of its time. Default: none.",
    { expects: "a model with a known price, such as `gpt-5.5`" },
  ),
  lengthCorrection: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether answers of routed requests correct the expected length, and so the expected cost, of a model's answers.",
  ),
  sticky: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether a routed request takes the model into account that answered before in [its " +
      "conversation](api.md#conversations): switching costs what the provider has in its prompt cache, and never happens " +
      "between a tool call and its result. Requests for a named model go to the provider that has the conversation in its " +
      "cache. `off`: only with `router.sticky: true`.",
  ),
  stickyMetadataKey: field(
    z.string().min(1).max(64).default("conversation_id"),
    "Key of `metadata` whose value names a request's conversation.",
    { expects: "a metadata key of 1 to 64 characters" },
  ),
};
