import type { CompletionRequestBody } from "../../api/completion-request.js";
import type { CompletionsNeed } from "../../inference/request.js";
import type { JsonObject } from "../../providers/chat.js";
import { type EmbeddingInput, inputsOf } from "../../providers/embeddings.js";

/** What a text completion asks for, as chat says it and as only the endpoint for text completions does. */
export interface TextPrompt {
  readonly messages: readonly JsonObject[];
  /** Fields for a model that cannot chat; empty when chat can say all of it. */
  readonly fields: JsonObject;
  /** The first field that chat has no counterpart of; null when there is none. */
  readonly need: CompletionsNeed | null;
}

type PromptFields = Pick<CompletionRequestBody, "prompt" | "suffix" | "echo" | "best_of">;

export function textPrompt({ prompt, suffix, echo, best_of: bestOf }: PromptFields): TextPrompt {
  const inputs = inputsOf({ input: prompt });
  const isOneText = inputs.length === 1 && typeof inputs[0] === "string";
  const fields = {
    ...(isOneText ? {} : { prompt }),
    ...((suffix ?? "") === "" ? {} : { suffix }),
    ...(echo === true ? { echo } : {}),
    ...((bestOf ?? 1) === 1 ? {} : { best_of: bestOf }),
  };
  const [param] = Object.keys(fields) as (keyof typeof WHAT)[];
  return {
    messages: inputs.map((input) => ({ role: "user", content: textOf(input) })),
    fields,
    need: param === undefined ? null : { param, what: WHAT[param] },
  };
}

const WHAT = {
  prompt: "several prompts or token ids",
  suffix: "a gap to be filled",
  echo: "the prompt before the answer",
  best_of: "a choice among several answers",
} as const;

/** Token ids are not decoded: each model has its own. */
const textOf = (input: EmbeddingInput): string =>
  typeof input === "string" ? input : `(${input.length} token ids)`;
