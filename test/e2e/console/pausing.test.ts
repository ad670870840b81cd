/** What an operator does about a failing model at night: from the cause to a pause, and back. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway, tracesFound } from "./gateway.js";
import {
  type ConsolePage,
  expectAccessible,
  expectUnharmed,
  openBrowser,
  openConsole,
  signIn,
} from "./page.js";

let gateway: Gateway;
let browser: Browser;

const chat = (more: object = {}) =>
  gateway.ask("/v1/chat/completions", {
    ...{ model: "failing-model", provider: "broken", messages: [{ role: "user", content: "hello" }] },
    ...more,
  });

beforeAll(async () => {
  gateway = await startGateway({ SEXTANT_CIRCUIT_FAILURES: "100" });
  browser = await openBrowser();
  for (let at = 0; at < 3; at++) await chat();
  for (let at = 0; at < 2; at++) await chat({ fallbacks: ["gpt-4o-mini"] });
  await chat({ model: "gpt-4o-mini", provider: undefined });
  await tracesFound(gateway, { total: 6 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function onPage(path: string, use: (open: ConsolePage) => Promise<void>): Promise<void> {
  const open = await openConsole(browser, gateway.address);
  await signIn(open.page);
  await open.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await open.page.goto(`${gateway.address}/console${path}`);
  await use(open);
  await expectUnharmed(open);
  await open.context.close();
}

it("Failures tell rescued calls apart, and a redirect from one ends with its pause", async () => {
  await onPage("/failures", async ({ page }) => {
    const row = page.getByRole("row", { name: /server_error/ });
    const figures = async () => (await row.getByRole("cell").allTextContents()).slice(1, 4);
    await expect.poll(figures).toEqual(["3new", "2new", "100%"]);
    expect(await row.getByRole("cell").count()).toBe(7);
    await page.getByText(/3 of 6 requests failed, 50%/).waitFor();
    await page.getByText("2 failed calls were made good by a retry or a fallback").waitFor();
    await row.getByRole("button", { name: "Pause… or redirect failing-model" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause" });
    await dialog.getByLabel("model failing-model, at all its providers").waitFor();
    await dialog.getByLabel("Model that answers instead").fill("gpt-4o-mini");
    expect(await dialog.getByLabel("Reason").inputValue()).toMatch(/^server_error, HTTP 500, /);
    await dialog.getByLabel("Reason").fill("vendor outage");
    await expectAccessible(page, "Pause dialog");
    await dialog.getByRole("button", { name: "Pause", exact: true }).click();
    const paused = page.getByRole("region", { name: "Paused now" });
    await paused.getByText("→ gpt-4o-mini").waitFor();
    await paused.getByText("vendor outage").waitFor();
    await expectAccessible(page, "Failures with a pause");
    const redirected = await chat({ provider: undefined });
    expect([redirected.status, redirected.body.model]).toEqual([200, "gpt-4o-mini"]);
    await paused.getByRole("button", { name: "End now: the pause of failing-model" }).click();
    await paused.waitFor({ state: "hidden" });
    expect((await chat()).status).toBe(502);
  });
});

it("The first page says what needs an operator, and what was changed, and leads there", async () => {
  const limits = { requests_per_minute: 2 };
  const { body } = await gateway.ask("/admin/keys", { name: "Busy", scopes: ["inference"], limits });
  await onPage("/", async ({ page }) => {
    for (let at = 0; at < 2; at++)
      await gateway.ask(
        "/v1/router",
        { messages: [{ role: "user", content: "hi" }], execute: false },
        {
          "x-api-key": String(body.key),
        },
      );
    await page.reload();
    const needs = page.getByRole("region", { name: "Needs you now" });
    await needs.getByText(/model failing-model: \d+ of \d+ requests failed in this hour/).waitFor();
    await needs.getByText("100% key Busy has used 2 of 2 of its requests a minute").waitFor();
    await page.getByText(/Changed in the last day: key Busy created by/).waitFor();
    await expectAccessible(page, "Overview with what needs an operator");
    await needs.getByRole("link", { name: "failing-model" }).click();
    await page.getByRole("heading", { level: 1, name: "Failures" }).waitFor();
    await page.getByRole("row", { name: /server_error/ }).waitFor();
  });
});

it("Causes are sorted by their heads, and filtered by a part of their text", async () => {
  await onPage("/failures", async ({ page }) => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForURL(/causes=share/);
    await page.getByLabel("Part of a cause, model or provider").fill("no such text");
    await page.getByText("Nothing failed in this period.").waitFor();
    await page.getByLabel("Part of a cause, model or provider").fill("BROKEN");
    await page.getByRole("row", { name: /server_error/ }).waitFor();
  });
});

it("A key is paused from its page, which shows what was done to it", async () => {
  const { body } = await gateway.ask("/admin/keys", { name: "Nightly job", scopes: ["inference"] });
  const headers = { "x-api-key": String(body.key) };
  await onPage(`/keys/${body.id}`, async ({ page }) => {
    await page.getByRole("button", { name: "Pause…" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause" });
    await dialog.getByLabel("Reason").fill("a loop");
    await dialog.getByLabel("when an operator ends it").check();
    await dialog.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("region", { name: "Paused now" }).getByText("a loop").waitFor();
    const refused = await gateway.ask("/v1/chat/completions", { model: "gpt-4o-mini" }, headers);
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.objectContaining({ code: "key_paused" }),
    ]);
    const acts = page.getByRole("region", { name: "What operators did to it" });
    await expect.poll(() => acts.getByRole("listitem").count()).toBe(2);
    expect(await acts.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/^paused by .* from 127\.0\.0\.1, .*reason: a loop/),
      expect.stringMatching(/^created by /),
    ]);
    await expectAccessible(page, "Key with a pause");
  });
});
