import { z } from "zod";

const badUsd = { error: "it must be a number of US dollars above 0, or null" };
const badModels = {
  error: "it must be a list of 1 to 100 names of models, such as `gpt-5.5` or `claude-*`, or null",
};
const badWeight = { error: "it must be a number from 0 to 1, or null" };

/** What one request may be, as keys, claims of tokens and presets say it. Null, or left out: no cap. */
export const capFields = {
  /** US dollars. */
  max_usd_per_request: z.number(badUsd).positive(badUsd).nullish(),
  /** Names of models, or of a provider and a model (`azure/gpt-5.5`), in which `*` is any text. */
  allowed_models: z
    .array(z.string(badModels).min(1, badModels).max(200, badModels), badModels)
    .min(1, badModels)
    .max(100, badModels)
    .nullish(),
  /** Of `auto`, 0 to 1. */
  min_cost_weight: z.number(badWeight).min(0, badWeight).max(1, badWeight).nullish(),
};

const capsSchema = z.object(capFields);
export type RequestCaps = Readonly<z.infer<typeof capsSchema>>;

/** The caps alone; undefined where there are none, so that a request without any is not looked at. */
export const capsIn = ({
  max_usd_per_request,
  allowed_models,
  min_cost_weight,
}: RequestCaps): RequestCaps | undefined =>
  (max_usd_per_request ?? allowed_models ?? min_cost_weight ?? undefined) === undefined
    ? undefined
    : { max_usd_per_request, allowed_models, min_cost_weight };
