/** The console in the hours of a shift: memory, and the place in a page that one comes back to. */
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway } from "./gateway.js";
import { openBrowser, openConsole, settled, signIn } from "./page.js";

let gateway: Gateway;
let browser: Browser;

const PAGE_SIZE = 50;

const ask = (content: string) =>
  gateway.ask("/v1/chat/completions", { model: "gpt-4o-mini", messages: [{ role: "user", content }] });

beforeAll(async () => {
  await build({ configFile: fileURLToPath(new URL("../../../vite.console.config.ts", import.meta.url)) });
  gateway = await startGateway();
  browser = await openBrowser();
  await gateway.ask("/admin/keys", { name: "An application", scopes: ["inference"] });
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

interface Memory {
  readonly nodes: number;
  readonly listeners: number;
  /** Megabytes of JavaScript after garbage collection. */
  readonly heapMb: number;
}

async function memoryOf(page: Page): Promise<Memory> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  for (let time = 0; time < 3; time++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
  return {
    nodes: metric("Nodes"),
    listeners: metric("JSEventListeners"),
    heapMb: metric("JSHeapUsedSize") / 1e6,
  };
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

/** Between two questions of the page. */
const PAUSE_MS = 2000;
const ARRIVALS_PER_SECOND = 5;
/** Some minutes in the tests; `SHIFT_HOURS=8` for a whole shift. */
const HOURS = Number(process.env.SHIFT_HOURS ?? 0.1);
const QUESTIONS = (HOURS * 3_600_000) / PAUSE_MS;
const MOST_MS = 60_000 + HOURS * 900_000;

/**
 * Within the page: it does not wait between questions, and their answers have new requests each time, as many as would
 * have arrived. After `most` questions it is held until `goOn`.
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
    const newest = asked * ${(PAUSE_MS / 1000) * ARRIVALS_PER_SECOND};
    const traces = list.traces.map((trace, at) => ({
      ...trace,
      request_id: "req_" + String(newest - at).padStart(26, "0"),
      input_start: "Question " + (newest - at),
    }));
    return new Response(JSON.stringify({ ...list, traces, total: list.total + newest }));
  };
}`;

/** Lets so many questions pass in all. */
async function askUntil(page: Page, questions: number): Promise<Memory> {
  const isHeld = async (asked: number): Promise<boolean> =>
    (await page.evaluate(`asked === ${asked} && window.goOn !== undefined`)) === true;
  const before = Number(await page.evaluate("most"));
  await expect.poll(() => isHeld(before), { timeout: 20_000 }).toBe(true);
  await page.evaluate(`most = ${questions}; const go = goOn; goOn = undefined; go();`);
  await expect.poll(() => isHeld(questions), { timeout: MOST_MS, interval: 200 }).toBe(true);
  return memoryOf(page);
}

it(
  "The live list takes as much memory at the end of a shift as at its beginning",
  async () => {
    const { page, context } = await openConsole(browser, gateway.address);
    await page.addInitScript(SHIFT);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(`${gateway.address}/console/traces?live=1`);
    await signIn(page);
    const begin = await askUntil(page, Math.floor(QUESTIONS / 20));
    const middle = await askUntil(page, Math.floor(QUESTIONS / 2));
    const end = await askUntil(page, QUESTIONS);
    const last = QUESTIONS * (PAUSE_MS / 1000) * ARRIVALS_PER_SECOND;
    await page.locator("tbody tr").first().getByText(`Question ${last}`).waitFor();
    if (process.env.SHIFT_HOURS !== undefined)
      process.stdout.write(`${JSON.stringify({ begin, middle, end })}\n`);
    for (const later of [middle, end]) {
      expect(Math.abs(later.nodes - begin.nodes)).toBeLessThan(begin.nodes * 0.05);
      expect(Math.abs(later.listeners - begin.listeners)).toBeLessThan(begin.listeners * 0.05);
      expect(later.heapMb).toBeLessThan(begin.heapMb * 1.1 + 0.5);
    }
    await context.close();
  },
  MOST_MS,
);

const SCROLL_AND_CLICK = new Function(
  "link",
  "scrollBy(0, 200); const place = Math.round(scrollY); link.click(); return place;",
) as (link: unknown) => number;

it("Back and forward return to the place in the page that one has left", async () => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.goto(`${gateway.address}/console/traces`);
  await signIn(page);
  const link = page.getByRole("link", { name: "details" }).nth(30);
  await link.waitFor();
  await settled(page);
  await link.scrollIntoViewIfNeeded();
  const placeNow = async () => Math.round(Number(await page.evaluate("scrollY")));
  // Before the browser says that the scrolling has ended.
  const place = await link.evaluate(SCROLL_AND_CLICK);
  expect(place).toBeGreaterThan(300);
  await page.getByRole("heading", { level: 1, name: "Trace", exact: true }).waitFor();
  await expect.poll(placeNow).toBe(0);
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
  await expect.poll(placeNow).toBe(place);
  await page.reload();
  await expect.poll(placeNow).toBe(place);
  await context.close();
});

it.each([
  ["/failures?range=24h&q=500&sort=failed", "7d"],
  ["/providers?range=24h", "7d"],
  ["/keys?order=spend", "newest"],
  ["/profiles", "Report"],
  ["/router", "several prompts"],
  ["/router?view=past+traffic&range=24h", "30d"],
])("Back undoes a choice of %s, which keeps the rest of the address", async (path, choice) => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.goto(`${gateway.address}/console${path}`);
  await signIn(page);
  const before = page.url();
  await page.getByRole("radio", { name: choice, exact: true }).click();
  await expect.poll(() => page.url()).not.toBe(before);
  const kept = [...new URL(before).searchParams.keys()].filter((name) => name !== "range");
  for (const name of kept) expect(new URL(page.url()).searchParams.has(name)).toBe(true);
  await page.goBack();
  await expect.poll(() => page.url()).toBe(before);
  await context.close();
});
