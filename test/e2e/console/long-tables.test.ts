/** Tables of more rows than are drawn at once. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway } from "./gateway.js";
import { openBrowser, openConsole, signIn } from "./page.js";

const KEYS = 150;

let gateway: Gateway;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
  for (let key = 0; key < KEYS; key++)
    await gateway.ask("/admin/keys", { name: `key ${String(key).padStart(3, "0")}`, scopes: ["inference"] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

it("A long table draws the rows that are in view, and all of them before the page is searched", async () => {
  const { page } = await openConsole(browser, gateway.address);
  await signIn(page);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.goto(`${gateway.address}/console/keys`);
  const table = page.getByRole("table").first();
  const rows = table.locator("tbody tr[data-index]");
  await rows.first().waitFor();
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBeLessThan(100);
  const counted = Number(await table.getAttribute("aria-rowcount"));
  expect(counted).toBeGreaterThan(KEYS);
  const lastOf = async () => Number(await rows.last().getAttribute("data-index"));
  const before = await lastOf();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await expect.poll(lastOf, { timeout: 20_000 }).toBeGreaterThan(Math.max(before, KEYS - 5));
  expect(await rows.count()).toBeLessThan(100);
  await page.keyboard.press("Control+f");
  await expect
    .poll(() => table.locator("tbody tr").count(), { timeout: 20_000 })
    .toBeGreaterThanOrEqual(KEYS);
}, 120_000);
