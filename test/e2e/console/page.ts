/** A browser with the console open, and what may never happen in it. */
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
  type Route,
} from "playwright-core";
import { expect } from "vitest";
import { ADMIN_KEY } from "./gateway.js";

/** Where Debian and Ubuntu have it, unless told. */
const CHROMIUM = process.env.SEXTANT_TEST_CHROMIUM ?? "/usr/bin/chromium";

/** Not as root with a sandbox: the pages are our own. Drawing by an imitated graphics card takes the most time. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

/** For one thing that a test waits for: only against hanging for ever, a busy machine takes its time. */
const MOST_MS = 240_000;

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors, blocked contents, requests to anybody else. */
  readonly faults: string[];
}

export async function openConsole(browser: Browser, address: string): Promise<ConsolePage> {
  const viewport = { width: 1380, height: 900 };
  const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
  const aheadMs = Date.now() - performance.timeOrigin - performance.now();
  await context.addInitScript(`Date = class extends Date {
    constructor(...parts) { super(...(parts.length > 0 ? parts : [Date.now()])); }
    static now() { return super.now() + ${aheadMs}; }
  }`);
  const page = await context.newPage();
  page.setDefaultTimeout(MOST_MS);
  watchRequests(page);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) faults.push(`request: ${request.url()}`);
  });
  await page.goto(`${address}/console`);
  return { page, context, faults };
}

export async function signIn(page: Page, key = ADMIN_KEY): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signed in, with the overview in view. */
export async function openSignedIn(browser: Browser, address: string): Promise<ConsolePage> {
  const open = await openConsole(browser, address);
  await signIn(open.page);
  await open.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return open;
}

/** Opens a page as its links do, without loading the console again. @param path below `/console` */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`/console${path}`)})`);
  await settled(page);
}

/** Types into the search field, which the keyboard opens. @param result the first one that is waited for */
export async function typeInFinder(page: Page, text: string, result: string | RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  const finder = page.getByRole("dialog", { name: "Find" });
  await finder.getByRole("combobox").fill(text);
  await finder.getByRole("option", { name: result, selected: true }).waitFor();
}

/** Opens or does the first result for the text. */
export async function find(page: Page, text: string, result: string | RegExp = text): Promise<void> {
  await typeInFinder(page, text, result);
  await page.keyboard.press("Enter");
}

/** Has requests to the address wait. @returns lets them go on */
export async function hold(
  page: Page,
  address: string,
  goOn: (route: Route) => Promise<void>,
): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(address, async (route) => {
    await held;
    await goOn(route);
  });
  return release;
}

interface Requests {
  readonly open: Set<Request>;
  /** How many there have been. */
  sent: number;
}

const requestsOf = new WeakMap<Page, Requests>();

function watchRequests(page: Page): void {
  const requests: Requests = { open: new Set(), sent: 0 };
  requestsOf.set(page, requests);
  page.on("request", (request) => {
    requests.open.add(request);
    requests.sent += 1;
  });
  const end = (request: Request) => requests.open.delete(request);
  page.on("requestfinished", end);
  page.on("requestfailed", end);
}

const TWO_FRAMES =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))";

/**
 * Until all that the page has asked for is there and drawn: what comes later moves the rest, and is missing in counts. What the
 * page asks for again every few seconds is waited for once it was sent.
 */
export async function settled(page: Page): Promise<void> {
  const requests = requestsOf.get(page);
  if (requests === undefined) throw new Error("the page was not opened by openConsole");
  const isQuiet = async (): Promise<readonly string[]> => {
    const { sent } = requests;
    const open = [...requests.open].map((request) => request.url());
    if (open.length > 0) return open;
    await page.evaluate(TWO_FRAMES);
    return sent === requests.sent ? [] : ["asked for more"];
  };
  await expect.poll(isQuiet, { message: "requests of the page", timeout: MOST_MS }).toEqual([]);
}

/** Rules of the tool: all of them, or those that depend on the theme. */
const RULES = {
  all: "{ resultTypes: ['violations'] }",
  colours: "{ resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] }",
};

/** By WCAG 2.2 AA and the good practices that axe knows: the page, or what lies over it. */
export async function expectAccessible(
  page: Page,
  name: string,
  { rules = "all" }: { readonly rules?: keyof typeof RULES } = {},
): Promise<void> {
  // The policy of the page allows scripts of its own server only; the tool comes in beside it.
  if (!(await page.evaluate("'axe' in window"))) {
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe.source });
    await session.detach();
  }
  // What scrolls takes the focus once its size was observed, which comes with a frame.
  await page.evaluate(TWO_FRAMES);
  const part = "document.querySelector('dialog[open]') ?? document";
  const results = (await page.evaluate(`axe.run(${part}, ${RULES[rules]})`)) as axe.AxeResults;
  const found = results.violations.map(
    ({ id, impact, nodes }) => `${name}: ${id} (${impact}): ${nodes[0]?.html} – ${nodes[0]?.failureSummary}`,
  );
  expect(found).toEqual([]);
}

/** In the light theme by all rules, in the dark one by those of colours. */
export async function expectAccessibleInBothThemes(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page, `${name}, dark`, { rules: "colours" });
  await page.emulateMedia({ colorScheme: "light" });
}

/** No script of anybody else has run, and nothing went wrong since this was asked before. */
export async function expectUnharmed({ page, faults }: ConsolePage): Promise<void> {
  expect(await page.evaluate("window.hostile")).toBeUndefined();
  expect(faults.splice(0)).toEqual([]);
}
