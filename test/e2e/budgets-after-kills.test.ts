/** Budgets hold over all lives of a server that is killed again and again while requests run. */
import { expect, it } from "vitest";
import { CHAT_ONLY, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server.js";
import { folderForTest } from "../support/folders.js";
import { asOpenAi, chatReply } from "./replies.js";
import { sampleSet } from "./sample-set.js";
import { startServe } from "./server-process.js";
import { callerOf } from "./whole-gateway.js";

const LIVES = 3;
const CLIENTS = 6;
/** In dollars: six answers of gpt-4o-mini with 1,000 tokens of prompt and answer each, at 15 and 60 cents a million. */
const BUDGET = 0.005;
const ANSWER_COST = 0.00075;
/** Answers given in one life before it is killed: two lives use the budget up. */
const ANSWERS_OF_A_LIFE = 3;
const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };

interface Life {
  /** Answers that clients got. */
  readonly answered: number;
  /** Calls that the provider began to answer, and bills. */
  readonly billed: number;
  readonly refused: number;
}

/** Clients send requests without a pause until the server is killed, which it is after some answers, or when all are refused. */
async function live(folder: string, upstream: UpstreamServer, { body }: { body: object }): Promise<Life> {
  const billedBefore = upstream.requests.length;
  const ended: Promise<void>[] = [];
  upstream.answer((exchange) => {
    ended.push(exchange.closed);
    return chatReply({ content: "fine" }, "stop", { usage })(exchange);
  });
  const server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_USD_PER_MONTH: String(BUDGET),
    SEXTANT_PROFILES: sampleSet(),
    ...asOpenAi(upstream),
  });
  const exited = new Promise((resolve) => server.child.once("exit", resolve));
  const call = callerOf(server.address);
  const messages = [{ role: "user", content: "hello ".repeat(1000) }];
  let [answered, refused] = [0, 0];
  const send = async (): Promise<void> => {
    for (;;) {
      const { status } = await call("/v1/chat/completions", {
        body: { model: "gpt-4o-mini", messages, ...body },
      });
      if (status === 429) {
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

it.each([
  { what: "spends no more than its budget, where requests limit their answers", limit: { max_tokens: 1000 } },
  {
    what: "exceeds its budget by at most what was in progress at each kill, where answers exceed the reservation",
    limit: {},
  },
])("A server that is killed again and again while requests run $what", async ({ limit }) => {
  const folder = folderForTest();
  const upstream = await UpstreamServer.start(CHAT_ONLY);
  const lives: Life[] = [];
  for (let life = 0; life < LIVES; life++) lives.push(await live(folder, upstream, { body: limit }));
  await upstream.close();
  const sum = (count: (life: Life) => number) => lives.reduce((total, life) => total + count(life), 0);
  const inProgress = "max_tokens" in limit ? 0 : sum(({ billed, answered }) => billed - answered) + 1;
  expect(sum(({ billed }) => billed) * ANSWER_COST).toBeLessThanOrEqual(BUDGET + inProgress * ANSWER_COST);
  expect(sum(({ answered }) => answered)).toBeGreaterThan(0);
  expect(lives.at(-1)).toMatchObject({ answered: 0, billed: 0, refused: CLIENTS });
});
