/** Budgets hold over all lives of a server that is killed again and again while requests run. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAT_ONLY, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { newFolder, removeFolder, startServe } from "./server-process.js";

const LIVES = 4;
const CLIENTS = 6;
/** In dollars: seven answers of gpt-4o-mini with 1,000 tokens of prompt and answer each, at 15 and 60 cents a million. */
const BUDGET = 0.005;
const ANSWER_COST = 0.00075;
/** Answers given in one life before it is killed. */
const ANSWERS_OF_A_LIFE = 2;

let folder: string;
let upstream: UpstreamServer;
/** The ends of all calls of the provider. */
let ended: Promise<void>[];
beforeEach(async () => {
  folder = newFolder();
  upstream = await UpstreamServer.start(CHAT_ONLY);
  ended = [];
  upstream.answer((exchange) => {
    ended.push(exchange.closed);
    return answer(exchange);
  });
});
afterEach(async () => {
  await upstream.close();
  removeFolder(folder);
});

interface Life {
  /** Answers that clients got. */
  readonly answered: number;
  /** Calls that the provider began to answer, and bills. */
  readonly billed: number;
  readonly refused: number;
}

/** Clients send requests without a pause until the server is killed, which it is after two answers, or when all are refused. */
async function live(environment: Readonly<Record<string, string>>, body: object): Promise<Life> {
  const billedBefore = upstream.requests.length;
  const server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_USD_PER_MONTH: String(BUDGET),
    SEXTANT_CH_ENABLED: "false",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    ...environment,
  });
  const exited = new Promise((resolve) => server.child.once("exit", resolve));
  let [answered, refused] = [0, 0];
  const send = async (): Promise<void> => {
    for (;;) {
      const reply = await fetch(`${server.address}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-api-key": KEY, "content-type": "application/json" },
        body: JSON.stringify({
          model: "gpt-4o-mini",
          messages: [{ role: "user", content: "hello ".repeat(1000) }],
          ...body,
        }),
      });
      await reply.text();
      if (reply.status === 429) {
        refused += 1;
        return;
      }
      answered += 1;
      if (answered >= ANSWERS_OF_A_LIFE) server.child.kill("SIGKILL");
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, send));
  server.child.kill("SIGKILL");
  await exited;
  // What the provider had begun to answer is billed, though nobody reads it any more.
  await Promise.all(ended);
  return { answered, refused, billed: upstream.requests.length - billedBefore };
}

const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
const choice = { index: 0, message: { role: "assistant", content: "fine" }, finish_reason: "stop" };
const answer = jsonReply({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [choice],
  usage,
});

async function lives(environment: Readonly<Record<string, string>>, body: object): Promise<readonly Life[]> {
  const all: Life[] = [];
  for (let life = 0; life < LIVES; life++) all.push(await live(environment, body));
  return all;
}

const sum = (all: readonly Life[], count: (life: Life) => number): number =>
  all.reduce((total, life) => total + count(life), 0);

describe("A server that is killed four times while requests run", () => {
  it.each([
    ["one process", {}],
    ["a supervisor with two workers", { SEXTANT_WORKERS: "2" }],
  ])("spends no more than its budget, as %s, where requests limit their answers", async (_, environment) => {
    const all = await lives(environment, { max_tokens: 1000 });
    expect(sum(all, ({ billed }) => billed) * ANSWER_COST).toBeLessThanOrEqual(BUDGET);
    expect(sum(all, ({ answered }) => answered)).toBeGreaterThan(0);
    expect(all.at(-1)).toMatchObject({ answered: 0, billed: 0, refused: CLIENTS });
  });

  it("exceeds its budget by at most what was in progress at each kill, where answers exceed the reservation", async () => {
    const all = await lives({}, {});
    const inFlight = sum(all, ({ billed, answered }) => billed - answered);
    expect(sum(all, ({ billed }) => billed) * ANSWER_COST).toBeLessThanOrEqual(
      BUDGET + (inFlight + 1) * ANSWER_COST,
    );
    expect(all.at(-1)).toMatchObject({ answered: 0, billed: 0, refused: CLIENTS });
  });
});
