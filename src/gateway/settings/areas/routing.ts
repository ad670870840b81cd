import { z } from "zod";
import { RECOMMENDED_WEIGHT, SHIPPED_PROFILES } from "../../../engine/index.js";
import { latencyWeight, maxLatencyMs } from "../../../foundation/latency-fields.js";
import { capFields } from "../../access/request-caps.js";
import { decimal, field, listFromText, oneOf } from "../field.js";

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
    "Model that turns text into vectors: a Hugging Face hub id or a folder. Default: the one that ships with Sextant. " +
      "Another one may need [a further package](#another-embedder).",
    { expects: "a hub id such as `sentence-transformers/all-MiniLM-L6-v2`, or a folder" },
  ),
  profiles: field(
    listFromText(z.string().min(1)).default([SHIPPED_PROFILES]),
    "Profile sets, or folders of profile sets, that say what each model is good at, separated by commas. " +
      "Default: those that ship with Sextant.",
    { expects: "one or more folders" },
  ),
  exploreShare: decimal(
    { from: 0, to: 0.5, usual: 0 },
    "Share of the routed requests that go to a model drawn at random, so that [learning from traffic](learning.md) remains possible: " +
      "up to eight others, best first, that may be as good as the decided one. Every decision then carries the probability of its choice " +
      "(`routing.exploration`). A model that is drawn is expected to cost at most five times what the decided one does, so that the expected spend rises by at most four times the share. Requests with `execute: false`, and those that continue a conversation, do not take part.",
  ),
  autoCostWeight: decimal(
    { from: 0, to: 1, usual: RECOMMENDED_WEIGHT },
    'Cost weight of `model: "auto"` where neither the request (`router.cost_weight`, `auto:0.3`, a preset, the header ' +
      "`x-sextant-cost-weight`) nor its API key names one. 0 ignores cost, 1 picks the cheapest model.",
  ),
  presets: field(
    z
      .array(presetSchema)
      .refine((presets) => new Set(presets.map(({ name }) => name)).size === presets.length, {
        error: "two presets have the same name",
      })
      .default([]),
    'Names for ways to choose: `model: "auto:support"` chooses as the preset `support` says, for tools that can only name a model. ' +
      "Each has a `name`, and optionally `models` (candidates), `cost_weight`, `max_tokens` (most tokens of an answer), `max_latency_ms` and `latency_weight` " +
      "(as in POST /v1/router), and [caps on each request](access.md#caps-on-one-request).",
    { expects: "a list of presets, each with a `name`" },
  ),
  baselineModel: field(
    z.string().min(1).optional(),
    "Model that would answer everything without routing. Every routed answer is compared with what it would have cost for the same tokens " +
      "and caches: [savings](savings.md). Each request keeps the baseline of its time. Default: none, and nothing is compared.",
    { expects: "a model with a known price, such as `gpt-5.5`" },
  ),
  lengthCorrection: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether the answers of routed requests correct how long the answers of their models are expected to be, and so their " +
      "expected cost. What was learned is kept in `data_dir`/state.db.",
  ),
  sticky: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether routed requests are decided with the model in mind that answered before in [their conversation](api.md#conversations): " +
      "switching to another one costs what the provider has in its prompt cache, and is not done between a tool call and its result. " +
      "Requests for a named model go to the provider again that has the conversation in its cache. `off`: only those with `router.sticky: true`.",
  ),
  stickyMetadataKey: field(
    z.string().min(1).max(64).default("conversation_id"),
    "Key of a request's `metadata` whose value names its conversation.",
    { expects: "a metadata key of 1 to 64 characters" },
  ),
};
