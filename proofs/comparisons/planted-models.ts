/** Models of known quality, and a judge of another vendor who prefers the first of two equal answers, as judges do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a model answers: right, or wrong; to a question by its number. */
export type PlantedModel = (question: number) => boolean;

export const JUDGE = "planted-judge";
/** Of each answer, and of each verdict: they make the bills. */
export const TOKENS = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

export const questionText = (question: number): string =>
  `Question ${question}: how much is ${question} + 7?`;
const numberIn = (text: string): number => Number(/Question (\d+):/.exec(text)?.[1]);

export interface PlantedVendors {
  /** Of the API of the models, and of that of the judge. */
  readonly modelsUrl: string;
  readonly judgesUrl: string;
  /** Verdicts so far: two of each comparison. */
  readonly verdicts: () => number;
  /** What of the questions to the judge says whose answers they are, or is not at temperature 0. */
  readonly notBlind: readonly string[];
  close(): Promise<void>;
}

interface Asked {
  readonly model: string;
  readonly temperature?: number;
  readonly messages: readonly { readonly content: string }[];
}

/** @param models by their ids, the one that is served first */
export async function startPlantedVendors(
  models: ReadonlyMap<string, PlantedModel>,
): Promise<PlantedVendors> {
  let verdicts = 0;
  const notBlind: string[] = [];
  function verdictOn({ messages, temperature }: Asked): string {
    verdicts += 1;
    const text = messages.at(-1)?.content ?? "";
    if (temperature !== 0) notBlind.push(`temperature ${temperature}`);
    for (const model of models.keys()) if (JSON.stringify(messages).includes(model)) notBlind.push(model);
    const right = String(numberIn(text) + 7);
    const [first, second] = ["answer_a", "answer_b"].map((name) =>
      new RegExp(`<${name}>[^<]*\\b${right}\\b[^<]*</${name}>`).test(text),
    );
    return second === true && first === false ? "The second is right. [[B]]" : "The first is better. [[A]]";
  }
  function answerOf({ model, messages }: Asked): string | undefined {
    const question = numberIn(messages.at(-1)?.content ?? "");
    const isRight = models.get(model)?.(question);
    if (isRight === undefined) return undefined;
    // Answers that say the same as the served one, which is the first model's, are not judged.
    const [served] = models.keys();
    const words = model === served ? "It is" : "The sum is";
    return `${words} ${question + (isRight ? 7 : 8)}.`;
  }
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const asked: Asked = JSON.parse(Buffer.concat(parts).toString());
    const content = asked.model === JUDGE ? verdictOn(asked) : answerOf(asked);
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    const body = {
      id: "1",
      object: "chat.completion",
      created: 1,
      model: asked.model,
      choices,
      usage: TOKENS,
    };
    response.writeHead(content === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(content === undefined ? { error: { message: "no such model" } } : body));
  }
  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ modelsUrl: `${origin}/models/v1`, judgesUrl: `${origin}/judges/v1` },
    ...{ verdicts: () => verdicts, notBlind },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
