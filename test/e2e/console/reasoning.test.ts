/** Reasoning that a provider sends apart from its answer, from the provider to the console. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { CHAT_ONLY, eventReply, UpstreamServer } from "../../fakes/upstream-server.js";
import { ADMIN_KEY, type Gateway, startGateway } from "./gateway.js";
import {
  type ConsolePage,
  expectAccessible,
  expectUnharmed,
  openBrowser,
  openConsole,
  signIn,
} from "./page.js";

const REASONING = "They ask for a sum <b>of two</b> numbers.";
const SESSION = "s 1";

let upstream: UpstreamServer;
let gateway: Gateway;
let browser: Browser;
let open: ConsolePage;
let requestId = "";

beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer(
    eventReply([
      chunk({ role: "assistant", reasoning_content: REASONING.slice(0, 9) }),
      chunk({ reasoning_content: REASONING.slice(9) }),
      chunk({ content: "4" }),
      chunk({}, "stop"),
      `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\n`,
      "data: [DONE]\n\n",
    ]),
  );
  gateway = await startGateway({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${upstream.origin}/v1` });
  requestId = await askForSum();
  browser = await openBrowser();
  open = await openConsole(browser, gateway.address);
  await signIn(open.page);
  await open.page.getByRole("heading", { name: "Overview" }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.close();
});

const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 14,
  total_tokens: 23,
  completion_tokens_details: { reasoning_tokens: 12 },
};

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const headers = { "x-api-key": ADMIN_KEY, "content-type": "application/json" };

/** @returns the id of the request, once its trace is written */
async function askForSum(): Promise<string> {
  const reply = await fetch(`${gateway.address}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      model: "gpt-4o-mini",
      provider: "openai",
      messages: [{ role: "user", content: "What is 2 + 2?" }],
      metadata: { session: SESSION },
      stream: true,
    }),
  });
  expect(await reply.text()).toContain("[DONE]");
  const id = reply.headers.get("x-request-id") ?? "";
  await vi.waitFor(
    async () => expect((await fetch(`${gateway.address}/v1/traces/${id}`, { headers })).status).toBe(200),
    { timeout: 60_000, interval: 100 },
  );
  return id;
}

it.each([
  ["a trace", () => `/traces/${requestId}`],
  ["a conversation", () => `/conversation?metadata.session=${encodeURIComponent(SESSION)}`],
])("The page of %s folds the reasoning above the answer", async (name, path) => {
  const { page } = open;
  await page.goto(`${gateway.address}/console${path()}`);
  const answer = page.getByRole("listitem").filter({ hasText: "Assistant" }).last();
  const folded = answer.locator("details", { hasText: "Reasoning" });
  await folded.waitFor();
  await answer.getByText("4", { exact: true }).waitFor();
  expect(await answer.getByText(REASONING).isVisible()).toBe(false);
  await folded.locator("summary").click();
  await answer.getByText(REASONING).waitFor();
  const [above, below] = [
    await folded.boundingBox(),
    await answer.getByText("4", { exact: true }).boundingBox(),
  ];
  expect(above?.y).toBeLessThan(below?.y ?? 0);
  await expectAccessible(page, name);
  await expectUnharmed(open);
});

it("The page of a trace says how much the model thought, and shows the text as stored", async () => {
  const { page } = open;
  await page.goto(`${gateway.address}/console/traces/${requestId}`);
  await page.getByText(/ · 12 tokens of reasoning$/).waitFor();
  await page.getByText("As stored").click();
  await page.getByRole("heading", { name: "Reasoning" }).waitFor();
  await expectUnharmed(open);
});
