import { type Browser, chromium, type Page } from "playwright-core";
import type { TimedPage } from "./pages.js";

/** Where Debian and Ubuntu have it, unless told. */
const CHROMIUM = process.env.SEXTANT_TEST_CHROMIUM ?? "/usr/bin/chromium";
const LONGEST_MS = 60_000;

/** Without a sandbox of its own, which it has not as root; the pages are our own. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

export async function signedIn(browser: Browser, address: string, key: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(`${address}/console`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return page;
}

/** Within the page: resolves to the milliseconds since its navigation when a frame has the content. */
const contentTime = (selector: string): string => `new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("no ${selector.replaceAll('"', "'")} at " + location.href)), ${LONGEST_MS});
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) return false;
    changes.disconnect();
    requestAnimationFrame(() => resolve(performance.now()));
    return true;
  };
  const changes = new MutationObserver(look);
  if (!look()) changes.observe(document, { childList: true, subtree: true });
})`;

/** Milliseconds until a page opened by its address, as from a bookmark, shows its content: scripts and session included. */
export async function timeByAddress(
  page: Page,
  address: string,
  { path, content }: TimedPage,
): Promise<number> {
  await page.goto(`${address}/console${path}`, { waitUntil: "commit" });
  return Number(await page.evaluate(contentTime(content)));
}

/** Milliseconds until a page opened from within the console shows its content. */
export async function timeWithin(page: Page, { path, content }: TimedPage): Promise<number> {
  await page.evaluate("history.pushState(null, '', '/console/none')");
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  const open = `history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`;
  const times = `(async () => { const start = performance.now(); ${open}; return (await ${contentTime(content)}) - start; })()`;
  return Number(await page.evaluate(times));
}
