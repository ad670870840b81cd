/** Stories of an operator who looks for money and for requests. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Gateway, startGateway, tracesFound } from "./gateway.js";
import {
  type ConsolePage,
  expectAccessible,
  expectUnharmed,
  openBrowser,
  openConsole,
  settled,
  signIn,
} from "./page.js";

let gateway: Gateway;
let browser: Browser;
let open: ConsolePage;
let page: Page;
let answerId: string;

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
  for (const team of ["search", "search", "billing"]) {
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }], metadata: { team } };
    answerId = String((await gateway.ask("/v1/chat/completions", body)).body.id);
  }
  await gateway.ask("/v1/router", { messages: [{ role: "user", content: "Which?" }], execute: false });
  await tracesFound(gateway, { total: 4 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});
beforeEach(async () => {
  open = await openConsole(browser, gateway.address);
  page = open.page;
  await signIn(page);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await settled(page);
  return async () => {
    await expectUnharmed(open);
    await open.context.close();
  };
});

const go = (path: string) => page.goto(`${gateway.address}/console${path}`);

describe("What a team spends", () => {
  it("is a split of the overview, in order, as CSV, with the month against a budget", async () => {
    await page.getByLabel("Split by").selectOption("team");
    const table = page.getByRole("region", { name: "Figures by team" });
    await table.getByRole("row", { name: /^search 2/ }).waitFor();
    expect(page.url()).toContain("by=metadata.team");
    await table.getByRole("button", { name: "Requests" }).click();
    await table.getByRole("button", { name: "Requests" }).click();
    await expect.poll(() => table.getByRole("row").nth(1).textContent()).not.toMatch(/^search/);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV of Figures by team" }).click(),
    ]);
    const lines = readFileSync(await file.path(), "utf8").split("\r\n");
    expect(lines[0]).toMatch(/^team,requests,failed,spend,tokens_in,tokens_out/);
    expect(lines).toContainEqual(expect.stringMatching(/^search,2,0,/));
    await go("/?by=team&range=month&budget=100");
    await page.getByText(/so far\. Of a budget of \$100\.00/).waitFor();
    await table.getByRole("row", { name: /^search/ }).waitFor();
    await expectAccessible(page, "month by team");
    await page.goBack();
    await table.getByRole("row", { name: /^search/ }).waitFor();
  });

  it("is a view that everyone finds under its name, until it is removed", async () => {
    await go("/?by=team&range=30d");
    await page.getByText("Views", { exact: true }).click();
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByLabel("Name").fill("Teams, 30 days");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const link = page.getByRole("link", { name: "Teams, 30 days" });
    await link.waitFor();
    await go("/keys");
    await page.getByText("Views", { exact: true }).click();
    await expectAccessible(page, "views");
    await link.click();
    await page.getByRole("region", { name: "Figures by team" }).waitFor();
    await page.getByRole("button", { name: "Remove the view Teams, 30 days" }).click();
    await expect.poll(() => link.count()).toBe(0);
  });
});

describe("A request", () => {
  it("is found by the id of its answer in a customer's message, and others by what they are marked with", async () => {
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("searchbox");
    await field.fill(`Your bot broke, it says ${answerId}!`);
    await page
      .getByRole("dialog")
      .getByRole("link", { name: /^Request/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Usage and cost" }).waitFor();
    expect(page.url()).toContain(`req_${answerId.replace("chatcmpl-", "")}`);
    await page.keyboard.press("Control+k");
    await field.fill("bill");
    await page.getByRole("dialog").getByRole("link", { name: "Metadata team = billing" }).click();
    await page.getByText("1–1 of 1").waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("is found by the name of its key, and by its kind", async () => {
    await go("/traces");
    await page.getByText("1–4 of 4").waitFor();
    await page.getByRole("cell", { name: "decision", exact: true }).waitFor();
    await page.locator('input[name="key"]').fill("nothing of that name");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No recent request is of a key called").waitFor();
    await page.locator('input[name="key"]').fill("BOOTSTRAP");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–4 of 4").waitFor();
    expect(page.url()).toContain("key=key_");
    await expectAccessible(page, "traces of a key");
  });
});
