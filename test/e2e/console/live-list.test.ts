/** The list of traces that come in: what is new stands on top. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway, tracesFound } from "./gateway.js";
import { expectUnharmed, goTo, openBrowser, openConsole, openSignedIn, settled, signIn } from "./page.js";

let gateway: Gateway;
let browser: Browser;

const ask = (content: string) =>
  gateway.ask("/v1/chat/completions", { model: "gpt-4o-mini", messages: [{ role: "user", content }] });

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
  await ask("A question of before");
  await tracesFound(gateway, { total: 1 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

it("New traces come on top as they are written, until the list is paused", async () => {
  const open = await openConsole(browser, gateway.address);
  const { page } = open;
  await page.clock.install();
  await page.goto(`${gateway.address}/console/traces?sort=cost_usd`);
  await signIn(page);
  await page.getByRole("button", { name: "Live" }).click();
  expect(new URL(page.url()).search).toBe("?live=1");
  await settled(page);
  await ask("the first that comes");
  // Until the next answer, which has nothing new.
  await page.locator("tbody tr.arrived:first-child").getByText("the first that comes").waitFor();

  await page.getByRole("button", { name: "Pause live" }).click();
  expect(new URL(page.url()).search).toBe("");
  await settled(page);
  const lists: string[] = [];
  page.on("request", (request) => request.url().includes("/admin/traces?") && lists.push(request.url()));
  await page.clock.runFor(60_000);
  await page.getByLabel("15m", { exact: true }).check();
  await expect.poll(() => lists.length).toBeGreaterThan(0);
  expect(lists).toEqual([expect.stringContaining("start_date=")]);
  await expectUnharmed(open);
  await open.context.close();
});

it("A live list goes on after failures that are the same", async () => {
  const open = await openSignedIn(browser, gateway.address);
  const { page } = open;
  await page.clock.install();
  let failed = 0;
  await page.route("**/admin/traces?*", (route) => {
    failed += 1;
    return route.fulfill({ body: "" });
  });
  await goTo(page, "/traces?live=1");
  const failedLater = async () => {
    await page.clock.runFor(2000);
    return failed;
  };
  await expect.poll(failedLater).toBeGreaterThan(3);
  await page.getByRole("alert").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("alert").waitFor({ state: "hidden" });
  await page.getByText("A question of before").waitFor();
  await expectUnharmed(open);
  await open.context.close();
});
