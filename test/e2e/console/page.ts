/** A browser with the console open, and what may never happen in it. */
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";
import { ADMIN_KEY } from "./gateway.js";

/** Where Debian and Ubuntu have it, unless told. */
const CHROMIUM = process.env.SEXTANT_TEST_CHROMIUM ?? "/usr/bin/chromium";

/** Not as root without it; the pages are our own. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors, blocked contents, requests to anybody else. */
  readonly faults: string[];
}

export async function openConsole(
  browser: Browser,
  address: string,
  colorScheme: "light" | "dark" = "light",
): Promise<ConsolePage> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1380, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
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

const AXE = "resultTypes: ['violations']";

/**
 * By WCAG 2.2 AA and the good practices that axe knows.
 *
 * @param within what is looked at; default: the whole document
 */
export async function expectAccessible(page: Page, name: string, within?: Locator): Promise<void> {
  // The policy of the page allows scripts of its own server only; the tool comes in beside it.
  if (!(await page.evaluate("'axe' in window"))) {
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe.source });
    await session.detach();
  }
  // What scrolls takes the focus once its size was observed, which comes with a frame.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const results = (
    within === undefined
      ? await page.evaluate(`axe.run(document, { ${AXE} })`)
      : await within.evaluate(new Function("element", `return axe.run(element, { ${AXE} })`) as () => unknown)
  ) as axe.AxeResults;
  const found = results.violations.map(
    ({ id, impact, nodes }) => `${name}: ${id} (${impact}): ${nodes[0]?.html} – ${nodes[0]?.failureSummary}`,
  );
  expect(found).toEqual([]);
}

/** No script of anybody else has run. */
export async function expectUnharmed({ page, faults }: ConsolePage): Promise<void> {
  expect(await page.evaluate("window.hostile")).toBeUndefined();
  expect(faults).toEqual([]);
}
