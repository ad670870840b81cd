import type { CompletionRequestBody } from "../../api/completion-request.js";
import type { CompletionsNeed } from "../../inference/request.js";
import type { JsonObject } from "../../providers/chat.js";

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
  const texts = textsOf(prompt);
  const fields = {
    ...(texts.length === 1 && !hasTokens(prompt) ? {} : { prompt }),
    ...((suffix ?? "") === "" ? {} : { suffix }),
    ...(echo === true ? { echo } : {}),
    ...((bestOf ?? 1) === 1 ? {} : { best_of: bestOf }),
  };
  const [param] = Object.keys(fields) as (keyof typeof WHAT)[];
  return {
    messages: texts.map((content) => ({ role: "user", content })),
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

const hasTokens = (prompt: PromptFields["prompt"]): boolean =>
  Array.isArray(prompt) && prompt.some((item) => typeof item !== "string");

/** One text a prompt. Token ids are not decoded: each model has its own. */
function textsOf(prompt: PromptFields["prompt"]): readonly string[] {
  if (typeof prompt === "string") return [prompt];
  if (prompt.every((item) => typeof item === "number")) return [tokenText(prompt.length)];
  return prompt.map((item) => {
    if (typeof item === "string") return item;
    return tokenText(Array.isArray(item) ? item.length : 1);
  });
}

const tokenText = (count: number): string => `(${count} token ids)`;
