/** The list of traces that come in: what is new stands on top, and nothing is kept of what has left it. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway, tracesFound } from "./gateway.js";
import { expectUnharmed, openBrowser, openConsole, settled, signIn } from "./page.js";

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

/** Between two questions of the page. */
const PAUSE_MS = 2000;
const ROWS = 50;
/** In each answer, as they come to a busy gateway. */
const NEW_ROWS = 10;
const [FIRST, LAST] = [10, 150];

/**
 * Within the page: it does not wait between questions, and their answers have new requests each time. After `most` questions it is
 * held until `goOn`.
 */
const SHIFT = `{
  const [ask, wait] = [fetch, setTimeout];
  let list;
  Object.assign(window, { most: 0, asked: 0 });
  window.setTimeout = (work, ms, ...more) => wait(work, ms === ${PAUSE_MS} ? 0 : ms, ...more);
  window.fetch = async (address, options) => {
    if (!String(address).startsWith("/admin/traces?")) return ask(address, options);
    list ??= await (await ask(address, options)).json();
    if (asked === most) await new Promise((resolve) => { window.goOn = resolve; });
    asked += 1;
    const newest = asked * ${NEW_ROWS};
    const traces = Array.from({ length: ${ROWS} }, (_, at) => ({
      ...list.traces[0],
      request_id: "req_" + String(newest + ${ROWS} - at).padStart(26, "0"),
      input_start: "Question " + (newest - at),
    }));
    return new Response(JSON.stringify({ ...list, traces, total: newest }));
  };
}`;

/** Lets so many questions pass in all. */
async function letPass(page: Page, questions: number): Promise<void> {
  const isHeld = async (asked: number): Promise<boolean> =>
    (await page.evaluate(`asked === ${asked} && window.goOn !== undefined`)) === true;
  const before = Number(await page.evaluate("most"));
  await expect.poll(() => isHeld(before)).toBe(true);
  await page.evaluate(`most = ${questions}; const go = goOn; goOn = undefined; go();`);
  await expect.poll(() => isHeld(questions)).toBe(true);
  await page.getByText(`Question ${questions * NEW_ROWS}`, { exact: true }).waitFor();
}

/** What the page keeps once garbage is collected; nodes may take a collection more than what refers to them. */
async function keptIn(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { result } = await session.send("Runtime.evaluate", { expression: "Object.prototype" });
  await session.send("HeapProfiler.collectGarbage");
  // Collects garbage before.
  const { objects } = await session.send("Runtime.queryObjects", {
    prototypeObjectId: result.objectId ?? "",
  });
  const count = await session.send("Runtime.callFunctionOn", {
    objectId: objects.objectId ?? "",
    returnByValue: true,
    functionDeclaration: "function () { return this.length; }",
  });
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return {
    objects: Number(count.result.value),
    nodes: metric("Nodes"),
    listeners: metric("JSEventListeners"),
  };
}

it("The live list keeps nothing of the traces that have left it", async () => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.addInitScript(SHIFT);
  await page.goto(`${gateway.address}/console/traces?live=1`);
  await signIn(page);
  await letPass(page, FIRST);
  const begin = await keptIn(page);
  await letPass(page, LAST);
  const leftIt = (LAST - FIRST) * NEW_ROWS;
  for (const kind of ["objects", "nodes", "listeners"] as const)
    await expect.poll(async () => (await keptIn(page))[kind]).toBeLessThan(begin[kind] + leftIt / 2);
  expect(await page.locator("tbody tr").count()).toBe(ROWS);
  await context.close();
});
