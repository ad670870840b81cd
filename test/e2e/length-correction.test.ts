/** Answers in use correct how long answers are expected to be: the whole server over real sockets, and its next start. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHAT_ONLY, UpstreamServer } from "../fakes/upstream-server.js";
import { folderForTest } from "../support/folders.js";
import { chatReply } from "./replies.js";
import { SAMPLE_MODELS, sampleProvider, sampleSet } from "./sample-set.js";
import { startWholeGateway, type WholeGateway } from "./whole-gateway.js";

const REQUESTS = 30;
const question = {
  messages: [{ role: "user", content: "Name three rivers in Africa." }],
  models: SAMPLE_MODELS.slice(0, 2),
};

interface Decided {
  readonly model: string;
  /** Of the chosen model. */
  readonly tokens: number;
  readonly costUsd: number;
  /** Of the other one. */
  readonly otherCostUsd: number;
}

async function decide({ call }: WholeGateway): Promise<Decided> {
  const { routing } = (await call("/v1/router", { body: { ...question, execute: false } })).json();
  const { selected_model: model, expected_answer_tokens: tokens, expected_cost_usd: costUsd } = routing;
  return { model, tokens, costUsd, otherCostUsd: routing.candidates[1].expected_cost_usd };
}

async function correctionOf({ call }: WholeGateway, { model }: Decided) {
  const { data } = (await call("/v1/router/profiles")).json();
  return data.find((profile: { readonly model: string }) => profile.model === model).length_correction;
}

it("Length correction raises the expected cost of a model that answers five times as long as profiled, also after a restart", async () => {
  const folder = folderForTest();
  const upstream = await UpstreamServer.start(CHAT_ONLY);
  writeFileSync(
    join(folder, "sextant.config.json"),
    JSON.stringify({ providers: [sampleProvider(`${upstream.origin}/v1`)] }),
  );
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startWholeGateway({ SEXTANT_PROFILES: sampleSet(), ...more }, { folder });

  let gateway = await start();
  const before = await decide(gateway);
  expect(await correctionOf(gateway, before)).toBeNull();
  const tokens = Math.round(5 * before.tokens);
  const usage = {
    prompt_tokens: 12,
    completion_tokens: tokens,
    total_tokens: 12 + tokens,
    completion_tokens_details: { reasoning_tokens: tokens - 8 },
  };
  upstream.answer(chatReply({ content: "Nile, Congo, Niger." }, "stop", { usage }));
  for (let request = 0; request < REQUESTS; request++)
    expect((await gateway.call("/v1/router", { body: question })).status).toBe(200);

  const after = await decide(gateway);
  expect(after.model).toBe(before.model);
  const ratio = after.tokens / before.tokens;
  // 30 answers of ratio 5, against 20 that were as long as expected and have begun to fade.
  expect(ratio).toBeGreaterThan(3.3);
  expect(ratio).toBeLessThan(3.8);
  expect(after.costUsd / before.costUsd).toBeGreaterThan(3);
  expect(after.costUsd / before.costUsd).toBeLessThan(ratio);
  expect(after.otherCostUsd).toBe(before.otherCostUsd);
  const shown = await correctionOf(gateway, before);
  expect(shown.answers).toBe(REQUESTS);
  expect(shown.ratio).toBeCloseTo(ratio, 2);
  expect((await gateway.call("/metrics")).text).toContain(
    `sextant_answer_length_ratio{model="${before.model}"} ${shown.ratio}`,
  );
  await gateway.stop();

  gateway = await start({ SEXTANT_LENGTH_CORRECTION: "off" });
  expect(await decide(gateway)).toEqual(before);
  expect(await correctionOf(gateway, before)).toBeNull();
  await gateway.stop();

  gateway = await start();
  expect(await decide(gateway)).toEqual(after);
  expect(await correctionOf(gateway, before)).toEqual(shown);
  await gateway.stop();

  await upstream.close();
});
