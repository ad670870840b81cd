import type { ChatCompletionBody } from "../../gateway/api/completion.js";
import type { ModelBody } from "../../gateway/api/models.js";
import type { DecisionBody } from "../../gateway/api/routing.js";
import { call } from "./call.js";
import { messagesOf } from "./router.js";

export type { ChatCompletionBody as Completion };

/** Ids that requests may name: `auto`, presets and models that a configured provider serves. */
export const listNamedModels = async (signal: AbortSignal): Promise<readonly string[]> =>
  (await call<{ readonly data: readonly ModelBody[] }>("/v1/models", { signal })).data
    .filter(({ architecture }) => !architecture.output_modalities.includes("embeddings"))
    .map(({ id }) => id);

interface Asked {
  readonly model: string;
  readonly prompt: string;
  readonly system: string;
  readonly maxTokens: number;
}

/** Asks a model, as a client would: it is billed, counted against the limits of the key signed in with, and traced. */
export const complete = (
  { model, prompt, system, maxTokens }: Asked,
  signal: AbortSignal,
): Promise<ChatCompletionBody> =>
  call("/v1/chat/completions", {
    method: "POST",
    body: {
      model,
      messages: messagesOf(prompt, system),
      max_completion_tokens: maxTokens,
      metadata: { console: "comparison" },
    },
    signal,
  });

/** Source of test prompts: a gateway that has no other requests is new. */
export const TEST_SOURCE = "console";

/** The answer to a test prompt, or the decision alone. */
export type TestAnswer = ChatCompletionBody | DecisionBody;

/** Has `auto` answer, as a client would; `execute: false` only decides, which needs no provider. */
export const sendTestPrompt = (
  prompt: string,
  { execute, signal }: { readonly execute: boolean; readonly signal: AbortSignal },
): Promise<TestAnswer> =>
  call(execute ? "/v1/chat/completions" : "/v1/router", {
    method: "POST",
    body: {
      messages: [{ role: "user", content: prompt }],
      ...(execute ? { model: "auto", max_completion_tokens: 1000 } : { execute }),
    },
    source: TEST_SOURCE,
    signal,
  });
