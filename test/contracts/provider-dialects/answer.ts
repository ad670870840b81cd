import type { ChatCompletion, JsonObject } from "../../../src/gateway/providers/chat.js";
import type { ProviderReply, StreamEvent } from "../../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import type { Answer, AnswerChoice } from "./dialect.js";

/** What a client makes of a reply, be it whole or a stream. */
export async function answerOf(reply: ProviderReply): Promise<Answer> {
  if (reply.kind === "completion")
    return { choices: reply.completion.choices.map(whole), usage: reply.usage };
  const collected = new StreamedAnswer();
  for await (const batch of reply.batches) {
    if (batch.length === 0) throw new Error("an empty batch");
    for (const event of batch) collected.add(event);
  }
  return collected.answer();
}

function whole({ message, finish_reason: finish }: ChatCompletion["choices"][number]): AnswerChoice {
  const calls = (message.tool_calls ?? []) as readonly JsonObject[];
  return {
    content: typeof message.content === "string" ? message.content : "",
    finish,
    toolCalls: calls.map(({ id, function: called }) => {
      const { name, arguments: text } = called as JsonObject;
      return { id: String(id), name: String(name), arguments: String(text) };
    }),
  };
}

interface Growing {
  content: string;
  finish: string | null;
  readonly toolCalls: { id: string; name: string; arguments: string }[];
}

/** Puts chunks together as OpenAI's clients do. */
export class StreamedAnswer {
  readonly #choices = new Map<number, Growing>();
  #usage: TokenUsage | null = null;

  add({ chunk, usage }: StreamEvent): void {
    this.#usage = usage ?? this.#usage;
    for (const { index, delta, finish_reason: finish } of chunk?.choices ?? []) {
      const choice = this.#choices.get(index) ?? { content: "", finish: null, toolCalls: [] };
      this.#choices.set(index, choice);
      if (typeof delta.content === "string") choice.content += delta.content;
      choice.finish = finish ?? choice.finish;
      for (const piece of (delta.tool_calls ?? []) as readonly JsonObject[]) addCall(choice, piece);
    }
  }

  get content(): string {
    return [...this.#choices.values()].map(({ content }) => content).join("");
  }

  answer(): Answer {
    const inOrder = [...this.#choices].sort(([a], [b]) => a - b);
    return { choices: inOrder.map(([, choice]) => choice), usage: this.#usage };
  }
}

function addCall({ toolCalls }: Growing, { index, id, function: called }: JsonObject): void {
  const at = Number(index);
  const call = toolCalls[at] ?? { id: "", name: "", arguments: "" };
  toolCalls[at] = call;
  const { name = "", arguments: text = "" } = (called ?? {}) as JsonObject;
  call.id += String(id ?? "");
  call.name += String(name);
  call.arguments += String(text);
}
