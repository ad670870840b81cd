/** The console in the hours of a shift: memory, and the place in a page that one comes back to. */
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway } from "./gateway.js";
import { openBrowser, openConsole, signIn } from "./page.js";

let gateway: Gateway;
let browser: Browser;

const PAGE_SIZE = 50;

const ask = (content: string) =>
  gateway.ask("/v1/chat/completions", { model: "gpt-4o-mini", messages: [{ role: "user", content }] });

beforeAll(async () => {
  await build({ configFile: fileURLToPath(new URL("../../../vite.console.config.ts", import.meta.url)) });
  gateway = await startGateway();
  browser = await openBrowser();
  for (let at = 0; at < PAGE_SIZE; at++) await ask("A question of before");
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** A few requests at a time, as they come in a shift, each few on top before the next are sent. */
async function arrive(page: Page, name: string): Promise<void> {
  for (let few = 0; few < 10; few++) {
    for (let at = 0; at < 4; at++) await ask("Another question");
    const last = `${name} ${few}`;
    await ask(last);
    await page.locator("tbody tr").first().getByText(last).waitFor();
  }
}

async function memoryOf(page: Page): Promise<{ readonly nodes: number; readonly listeners: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  for (let time = 0; time < 3; time++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { nodes: metric("Nodes"), listeners: metric("JSEventListeners") };
}

it("The live list keeps nothing of the traces that have left it", async () => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.goto(`${gateway.address}/console/traces?live=1`);
  await signIn(page);
  await page.getByRole("heading", { name: "Traces" }).waitFor();
  await arrive(page, "Before");
  const before = await memoryOf(page);
  await arrive(page, "After");
  const after = await memoryOf(page);
  expect(after.nodes).toBeLessThan(before.nodes * 1.2);
  expect(after.listeners).toBeLessThan(before.listeners * 1.2);
  expect(await page.locator("tbody tr").count()).toBe(PAGE_SIZE);
  await context.close();
}, 120_000);

it("Back and forward return to the place in the page that one has left", async () => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.goto(`${gateway.address}/console/traces`);
  await signIn(page);
  const link = page.getByRole("link", { name: "details" }).nth(30);
  await link.waitFor();
  await link.scrollIntoViewIfNeeded();
  await page.evaluate("scrollBy(0, 200)");
  const placeNow = async () => Math.round(Number(await page.evaluate("scrollY")));
  const place = await placeNow();
  expect(place).toBeGreaterThan(300);
  await link.click();
  await page.getByRole("heading", { level: 1, name: "Trace", exact: true }).waitFor();
  await expect.poll(placeNow).toBe(0);
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await expect.poll(placeNow).toBe(place);
  await page.reload();
  await expect.poll(placeNow).toBe(place);
  await context.close();
});
