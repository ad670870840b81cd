import { createHash } from "node:crypto";
import type { ChatMessage } from "../prompts/prompt.js";

/** Fields of the request beside the messages, under their names in OpenAI's API. */
export interface QuestionParameters {
  /** Left out for models that refuse it. */
  readonly temperature?: number;
  readonly max_tokens?: number;
}

/** One request to one model. */
export interface Question {
  /** As requests name it: a model id, `provider/id`, or the name of a deployment. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly parameters: QuestionParameters;
}

/**
 * What a question is known by: a digest of all that is sent. The same question has the same key in every run, and is paid
 * once; one that differs in anything has another.
 */
export function questionKey({ model, messages, parameters }: Question): string {
  const { temperature = null, max_tokens = null } = parameters;
  const text = JSON.stringify([model, messages, temperature, max_tokens]);
  return createHash("sha256").update(text).digest("hex").slice(0, KEY_LENGTH);
}

/** 128 bits. */
const KEY_LENGTH = 32;
