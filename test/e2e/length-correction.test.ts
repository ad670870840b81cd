/** Answers in use correct how long answers are expected to be: the whole server over real sockets, and its next start. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { folderForTests } from "../support/folders.js";

const folder = folderForTests();
const MODELS = ["gpt-4o-mini", "gpt-4.1"];
const REQUESTS = 30;

let upstream: UpstreamServer;
let server: ComposedServer | undefined;
const logLines: string[] = [];

beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(async () => {
  await upstream.close();
});

/** @returns sends a request to a server that has just started, and gives the answer's body */
async function start(more: Readonly<Record<string, string>> = {}) {
  await server?.stop();
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    ...more,
  };
  const logger = pino({ level: "info" }, { write: (line: string) => logLines.push(line) });
  const settings = loadSettings(environment, { workingDirectory: folder });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  const address = await server.start();
  return async (path: string, body?: object): Promise<string> => {
    const headers = { "x-api-key": KEY, "content-type": "application/json" };
    const request =
      body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${address}${path}`, request);
    expect(response.status).toBe(200);
    return response.text();
  };
}

type Send = Awaited<ReturnType<typeof start>>;

const question = { messages: [{ role: "user", content: "Name three rivers in Africa." }], models: MODELS };

interface Decided {
  readonly model: string;
  /** Of the chosen model. */
  readonly tokens: number;
  readonly costUsd: number;
  /** Of the other one. */
  readonly otherCostUsd: number;
}

async function decide(send: Send): Promise<Decided> {
  const { routing } = JSON.parse(await send("/v1/router", { ...question, execute: false }));
  const { selected_model: model, expected_answer_tokens: tokens, expected_cost_usd: costUsd } = routing;
  return { model, tokens, costUsd, otherCostUsd: routing.candidates[1].expected_cost_usd };
}

async function correctionOf(send: Send, model: string) {
  const { data } = JSON.parse(await send("/v1/router/profiles"));
  return data.find((profile: { readonly model: string }) => profile.model === model).length_correction;
}

function answerWith(completionTokens: number): void {
  const message = { role: "assistant", content: "Nile, Congo, Niger." };
  const usage = {
    prompt_tokens: 12,
    completion_tokens: completionTokens,
    total_tokens: 12 + completionTokens,
    completion_tokens_details: { reasoning_tokens: completionTokens - 8 },
  };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  upstream.answer(jsonReply({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage }));
}

it("Length correction raises the expected cost of a model that answers five times as long as profiled, also after a restart", {
  timeout: 120_000,
}, async () => {
  let send = await start();
  const before = await decide(send);
  expect(await correctionOf(send, before.model)).toBeNull();
  answerWith(Math.round(5 * before.tokens));
  for (let request = 0; request < REQUESTS; request++) await send("/v1/router", question);

  const after = await decide(send);
  expect(after.model).toBe(before.model);
  const ratio = after.tokens / before.tokens;
  // 30 answers of ratio 5, against 20 that were as long as expected and have begun to fade.
  expect(ratio).toBeGreaterThan(3.3);
  expect(ratio).toBeLessThan(3.8);
  expect(after.costUsd / before.costUsd).toBeGreaterThan(3);
  expect(after.costUsd / before.costUsd).toBeLessThan(ratio);
  expect(after.otherCostUsd).toBe(before.otherCostUsd);

  const shown = await correctionOf(send, before.model);
  expect(shown.answers).toBe(REQUESTS);
  expect(shown.ratio).toBeCloseTo(ratio, 2);
  expect(await send("/metrics")).toContain(
    `sextant_answer_length_ratio{model="${before.model}"} ${shown.ratio}`,
  );

  send = await start();
  expect(await decide(send)).toEqual(after);
  expect(await correctionOf(send, before.model)).toEqual(shown);

  // A provider more, by which further models of the same profile files can be chosen.
  const config = join(folder, "one-provider-more.json");
  const lab = {
    id: "lab",
    type: "openai-compatible",
    base_url: upstream.origin,
    models: [{ id: "apertus-8b" }],
  };
  writeFileSync(config, JSON.stringify({ providers: [lab] }));
  send = await start({ SEXTANT_CONFIG: config });
  expect(await correctionOf(send, "apertus-8b")).toBeNull();
  expect(await correctionOf(send, before.model)).toEqual(shown);

  send = await start({ SEXTANT_LENGTH_CORRECTION: "off" });
  expect(await decide(send)).toEqual(before);
  expect(await correctionOf(send, before.model)).toBeNull();
  for (let request = 0; request < 3; request++) await send("/v1/router", question);

  send = await start();
  expect(await correctionOf(send, before.model)).toEqual(shown);
});

it("Length correction reports a damaged file and starts anew", { timeout: 120_000 }, async () => {
  writeFileSync(join(folder, "lengths.json"), '{"version":1,"models":[');
  const send = await start();
  expect(await correctionOf(send, MODELS[0] as string)).toBeNull();
  expect(logLines.some((line) => line.includes("lengths.json"))).toBe(true);
  const { tokens } = await decide(send);
  answerWith(Math.round(5 * tokens));
  await send("/v1/chat/completions", {
    ...question,
    models: undefined,
    model: "auto",
    router: { models: MODELS },
  });
  const { model } = await decide(send);
  expect(await correctionOf(send, model)).toMatchObject({ answers: 1 });
});
