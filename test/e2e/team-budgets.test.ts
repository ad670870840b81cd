/** Budgets of teams and alerts of a real server: exact under load, and one alert, also after a restart. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { BudgetListBody } from "../../src/gateway/features/budgets/schema.js";
import { CHAT_ONLY, reply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server.js";
import { folderForTest } from "../support/folders.js";
import { asOpenAi, chatReply } from "./replies.js";
import { sampleSet } from "./sample-set.js";
import { startServe } from "./server-process.js";
import { callerOf } from "./whole-gateway.js";

/** In billionths of a dollar: gpt-4o-mini with 1,001 tokens of prompt and 333 of answer, at 15 and 60 cents a million. */
const ANSWER_NANO = 1001 * 150 + 333 * 600;
const usage = { prompt_tokens: 1001, completion_tokens: 333, total_tokens: 1334 };
/** Room for seven answers that are reserved at the limit of 333 tokens each, by an estimate of their prompts. */
const BUDGET_USD = 0.0035;
const REQUESTS = 50;

it("Of 50 requests at one time a team's budget lets through what fits, counts it exactly, and warns once, also after a restart", async () => {
  const folder = folderForTest();
  const upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer(chatReply({ content: "hi" }, "stop", { usage }));
  const hook = await UpstreamServer.start();
  hook.answer(reply({ status: 200 }));
  const budgets = [
    { name: "teams", by: "team", period: "day", time_zone: "Europe/Berlin", usd: BUDGET_USD, warn_at: 0.5 },
    { name: "all", by: "all", usd: 100 },
  ];
  const webhooks = [{ name: "ops", form: "json", url: `${hook.origin}/` }];
  const alerts = { webhooks, rules: { budget_forecast: false } };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ budgets, alerts }));
  const start = () =>
    startServe(folder, {
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_ALERT_INTERVAL_MS: "1000",
      SEXTANT_PROFILES: sampleSet(),
      ...asOpenAi(upstream),
    });
  const server = await start();
  const call = callerOf(server.address);
  const made = await call("/admin/keys", { body: { name: "search", team: "search", scopes: ["inference"] } });
  const { key } = made.json();
  const body = {
    model: "gpt-4o-mini",
    max_tokens: 333,
    metadata: { team: "another" },
    messages: [{ role: "user", content: "hello ".repeat(1000) }],
  };
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, () => call("/v1/chat/completions", { key, body })),
  );
  const answered = replies.filter(({ status }) => status === 200).length;
  const refused = replies.filter(({ status }) => status === 429);
  expect(answered).toBeGreaterThan(0);
  expect(answered + refused.length).toBe(REQUESTS);
  expect(upstream.requests).toHaveLength(answered);
  expect(refused[0]?.text).toContain('of the budget \\"teams\\" (team \\"search\\")');
  const used = async (name: string) => {
    const { data }: BudgetListBody = (await call("/admin/budgets")).json();
    return Math.round((data.find((one) => one.name === name)?.usd?.used ?? 0) * 1e9);
  };
  await expect.poll(() => used("teams")).toBe(answered * ANSWER_NANO);
  expect(await used("all")).toBe(answered * ANSWER_NANO);
  expect(answered * ANSWER_NANO).toBeLessThanOrEqual(BUDGET_USD * 1e9);
  await expect.poll(async () => (await call("/v1/traces?metadata.team=search")).json().total).toBe(answered);

  const warnings = () =>
    hook.requests
      .map(({ body }) => JSON.parse(body))
      .filter(
        ({ type, rule, subject }) => type === "alert.fired" && rule === "budget" && /warning/.test(subject),
      )
      .map(({ subject }) => subject);
  await expect.poll(warnings).toEqual(["teams of search, warning"]);
  await server.stop();
  const next = await start();
  const again = callerOf(next.address);
  const lookedAt = async () => (await again("/admin/alerts")).json().looked_at;
  const before = await lookedAt();
  // Twice, so that a whole look is over.
  for (const last of [before, await lookedAt()]) await expect.poll(lookedAt).not.toBe(last);
  expect(warnings()).toHaveLength(1);
  const tested = await again("/admin/alerts/test", { body: {} });
  expect(tested.json().data).toMatchObject([{ webhook: "ops", ok: true }]);
  await next.stop();
  await Promise.all([upstream.close(), hook.close()]);
});
