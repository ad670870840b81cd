/** Request fields that several endpoints share. A field that OpenAI lets be null may be null here: it then says nothing. */
import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";
import { latencyWeight, maxLatencyMs } from "../../foundation/latency-fields.js";
import { hostPreferences } from "./host-preferences.js";

const METADATA_KEYS = 16;
const METADATA_KEY_CHARACTERS = 64;
const METADATA_VALUE_CHARACTERS = 512;
/**
 * OpenAI takes four, and says so itself; Anthropic and Mistral take more (guess: no one needs as many as this).
 */
const MAX_STOPS = 256;
const MAX_ANSWERS = 128;
const MAX_FALLBACKS = 16;
const MODEL_CHARACTERS = 256;
const MAX_CANDIDATES = 256;
export const MAX_TOOLS = 1024;

/** A number within bounds, and the words for one outside of them. */
function bounded(from: number, to: number) {
  const error = `it must be a number from ${from} to ${to}`;
  return z.number({ error }).min(from, { error }).max(to, { error });
}

const badTag = { error: "it must be a number, a boolean or a string of at most 512 characters" };
const tagValue = z.union(
  [z.string().max(METADATA_VALUE_CHARACTERS, badTag), z.number(), z.boolean()],
  badTag,
);

const tagName = z
  .string()
  .min(1)
  .max(METADATA_KEY_CHARACTERS, { error: `its name must have 1 to ${METADATA_KEY_CHARACTERS} characters` });

const tags = z.record(tagName, tagValue, { error: "it must be an object of tags" });

/** The number of keys is checked first: a record checks each of them, which takes seconds for hundreds of thousands. */
const fewTags = z.preprocess((value, { issues }) => {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject && Object.keys(value).length > METADATA_KEYS) {
    issues.push({ code: "custom", message: `it must have at most ${METADATA_KEYS} keys`, input: value });
  }
  return value;
}, tags.nullish());

export const metadata = fewTags
  .optional()
  .describe(
    "Tags for the trace: at most 16 keys of at most 64 characters; strings of at most 512, numbers, booleans.",
  );

const tokenLimit = z
  .int({ error: "it must be a whole number of at least 1" })
  .min(1, { error: "it must be a whole number of at least 1" });

export const maxTokens = tokenLimit.nullish();
export const maxCompletionTokens = tokenLimit
  .nullish()
  .describe("OpenAI's newer name of `max_tokens`; wins over it.");

export const temperature = bounded(0, 2).nullish();
export const topP = bounded(0, 1)
  .nullish()
  .meta({ description: "Share of the likeliest tokens to draw from, 0 to 1.", default: 1 });
export const presencePenalty = bounded(-2, 2)
  .nullish()
  .meta({ description: "Above 0, tokens that occurred before become less likely; −2 to 2.", default: 0 });
export const frequencyPenalty = bounded(-2, 2).nullish().meta({
  description: "Above 0, tokens become less likely the more often they occurred; −2 to 2.",
  default: 0,
});

export const answers = z
  .int({ error: `it must be a whole number from 1 to ${MAX_ANSWERS}` })
  .min(1, { error: `it must be a whole number from 1 to ${MAX_ANSWERS}` })
  .max(MAX_ANSWERS, { error: `it must be a whole number from 1 to ${MAX_ANSWERS}` })
  .nullish()
  .meta({ description: "How many answers to generate.", default: 1 });

const badStop = { error: `it must be a string or a list of at most ${MAX_STOPS} strings` };
export const stop = z
  .union([z.string(), z.array(z.string(badStop), badStop).max(MAX_STOPS, badStop)], badStop)
  .nullish()
  .describe("A text before which the answer ends, or several: OpenAI takes up to four, other vendors more.");

export const flag = z.boolean({ error: "it must be true or false" });
export const stream = flag
  .nullish()
  .meta({ description: "Whether the answer comes as server-sent events.", default: false });

/** An id from the catalog or the settings; whether there is such a one is found out later. */
function id(what: string) {
  const error = `it must be ${what} of 1 to ${MODEL_CHARACTERS} characters`;
  return z.string({ error }).min(1, { error }).max(MODEL_CHARACTERS, { error });
}

export const model = id("a model id").describe(
  "A model id, `provider/id`, a deployment's name, or `auto`: the best model for the prompt.",
);

/** Of embeddings, whose vectors of different providers are not compared by any measure. */
export const providerId = id("a provider id")
  .nullish()
  .describe("Only this provider may answer. Its id as in `GET /v1/providers`.");

export const provider = z
  .union([id("a provider id"), hostPreferences], {
    error: "it must be a provider id, or an object of provider preferences such as `only` and `sort`",
  })
  .nullish()
  .describe(
    "Only this provider may answer: its id as in `GET /v1/providers`. Or an object in OpenRouter's form that says which may, and in which order.",
  );

export const fallbacks = z
  .array(id("a model id"), { error: `it must be a list of at most ${MAX_FALLBACKS} model ids` })
  .max(MAX_FALLBACKS, { error: `it must be a list of at most ${MAX_FALLBACKS} model ids` })
  .nullish()
  .describe("Models to try, in this order, when no provider of `model` can answer.");

export const candidateModels = z
  .array(id("a model id"), { error: "it must be a list of at least two model ids" })
  .max(MAX_CANDIDATES, { error: `it must be a list of at most ${MAX_CANDIDATES} model ids` })
  .optional()
  .describe("Candidates, 2 to 256 different ones. Without it: every model with a profile.");

export const costWeight = z
  .number({ error: "it must be a number of at least 0" })
  .min(0, { error: "it must be a number of at least 0" })
  .optional()
  .meta({
    description: "0 ignores cost, 1 picks the cheapest model; larger values act as 1.",
    default: 0,
  });

const badMeanCost = { error: "it must be a number of US dollars above 0" };
export const maxMeanCostUsd = z
  .number(badMeanCost)
  .positive(badMeanCost)
  .optional()
  .describe(
    "In place of `cost_weight`: the lowest weight whose answers cost at most that many US dollars on average, over the prompts that the profiles measured it on.",
  );

export const sticky = flag
  .optional()
  .describe(
    "Whether the model that answered before in the conversation is kept while switching would cost more than it gains. Default: by the setting `sticky`.",
  );

const badConversation = {
  error: `it must be a string of 1 to ${METADATA_VALUE_CHARACTERS} characters that names the conversation`,
};
export const conversation = z
  .string(badConversation)
  .min(1, badConversation)
  .max(METADATA_VALUE_CHARACTERS, badConversation)
  .optional()
  .describe("Name of the conversation, for `sticky`: any text that its requests have in common.");

export const explain = flag
  .optional()
  .describe(
    "Whether `routing` has all candidates with the `parts` of their costs, not only the best eight, the `anchors` that the decision rests on, what was read of the `prompt`, and what the cost weight means in dollars.",
  );

export const routerOptions = closedObject(
  {
    models: candidateModels,
    cost_weight: costWeight,
    max_latency_ms: maxLatencyMs,
    latency_weight: latencyWeight,
    explain,
    sticky,
    conversation,
  },
  "it must be an object with `models`, `cost_weight`, `explain`, `sticky` or `conversation`",
)
  .nullish()
  .describe('How `model: "auto"` chooses. Only with it.');

export const tools = z
  .array(z.looseObject({}, { error: "it must be a tool object" }), { error: "it must be a list of tools" })
  .max(MAX_TOOLS, { error: `it must be a list of at most ${MAX_TOOLS} tools` })
  .nullish()
  .describe("Tools the model may call. Routing leaves out models known to lack tool calling.");
