/** Budgets of teams and alerts of a real server with two worker processes: exact under load, and one alert for what all of them see. */
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BudgetListBody } from "../../src/gateway/api/budgets.js";
import { CHAT_ONLY, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";

/** In billionths of a dollar: gpt-4o-mini with 1,001 tokens of prompt and 333 of answer, at 15 and 60 cents a million. */
const ANSWER_NANO = 1001 * 150 + 333 * 600;
const REQUESTS = 50;
/** Room for seven answers that are reserved at the limit of 333 tokens each, by an estimate of their prompts. */
const BUDGET_USD = 0.0035;
const PATIENT = 180_000;

let folder: string;
let upstream: UpstreamServer;
let hook: Server;
let server: ServerProcess;
const messages: { readonly type: string; readonly rule: string; readonly subject: string }[] = [];

beforeAll(async () => {
  folder = newFolder();
  upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer((exchange) =>
    jsonReply({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-4o-mini" },
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1001, completion_tokens: 333, total_tokens: 1334 },
    })(exchange),
  );
  hook = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      messages.push(JSON.parse(Buffer.concat(parts).toString()));
      reply.end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const budgets = [
    { name: "teams", by: "team", period: "day", time_zone: "Europe/Berlin", usd: BUDGET_USD, warn_at: 0.5 },
    { name: "all", by: "all", usd: 100 },
  ];
  const alerts = { webhooks: [{ name: "ops", form: "json", url }], rules: { budget_forecast: false } };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ budgets, alerts }));
  server = await startServe(folder, {
    SEXTANT_WORKERS: "2",
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_ALERT_INTERVAL_MS: "1000",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
  });
}, PATIENT);
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
  hook?.close();
  removeFolder(folder);
});

async function call<Body>(
  path: string,
  { body, key = KEY }: { readonly body?: object; readonly key?: string } = {},
) {
  const reply = await fetch(`${server.address}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-api-key": key, "content-type": "application/json", connection: "close" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Body };
}

const budgetUse = async () => (await call<BudgetListBody>("/admin/budgets")).body.data;

it(
  "Of 50 requests at one time over two workers, a team's budget lets through what fits, and counts it exactly",
  async () => {
    const created = await call<{ readonly key: string }>("/admin/keys", {
      body: { name: "search", team: "search", scopes: ["inference"] },
    });
    const { key } = created.body;
    const request = {
      ...{ model: "gpt-4o-mini", max_tokens: 333, metadata: { team: "another" } },
      messages: [{ role: "user", content: "hello ".repeat(1000) }],
    };
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, () => call("/v1/chat/completions", { key, body: request })),
    );
    const answered = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 429);
    expect(answered).toBeGreaterThan(0);
    expect(answered + refused.length).toBe(REQUESTS);
    expect(upstream.requests).toHaveLength(answered);
    expect(JSON.stringify(refused[0]?.body)).toContain('of the budget \\"teams\\" (team \\"search\\")');
    const nano = async (name: string) =>
      Math.round(((await budgetUse()).find((one) => one.name === name)?.usd?.used ?? 0) * 1e9);
    await expect.poll(() => nano("teams")).toBe(answered * ANSWER_NANO);
    expect(await nano("all")).toBe(answered * ANSWER_NANO);
    expect(answered * ANSWER_NANO).toBeLessThanOrEqual(BUDGET_USD * 1e9);
    const tagged = async () =>
      (await call<{ readonly total: number }>("/v1/traces?metadata.team=search")).body.total;
    await expect.poll(tagged, { timeout: 30_000 }).toBe(answered);
  },
  PATIENT,
);

it(
  "What a budget warns of is sent once, by one of the workers, and not again after a restart",
  async () => {
    const fired = () =>
      messages.filter(({ rule }) => rule === "budget").map(({ type, subject }) => `${type} ${subject}`);
    await expect.poll(fired, { timeout: 60_000 }).toContain("alert.fired teams of search, warning");
    await server.stop();
    server = await startServe(folder, {
      SEXTANT_WORKERS: "2",
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_ALERT_INTERVAL_MS: "1000",
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: `${upstream.origin}/v1`,
    });
    const lookedAt = async () => (await call<{ readonly looked_at: string }>("/admin/alerts")).body.looked_at;
    const before = Date.now();
    await expect
      .poll(async () => Date.parse(await lookedAt()) - before, { timeout: 60_000 })
      .toBeGreaterThan(3000);
    expect(fired().filter((one) => one.includes("warning"))).toHaveLength(1);
    const tested = await call<{ readonly data: unknown }>("/admin/alerts/test", { body: {} });
    expect(tested.body.data).toMatchObject([{ webhook: "ops", ok: true }]);
  },
  PATIENT,
);
