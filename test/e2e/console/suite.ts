/** A console that stays open over the tests of a file. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { beginAtNoon, type Gateway } from "./gateway.js";
import { type ConsolePage, expectUnharmed, openBrowser, openSignedIn } from "./page.js";

interface OpenedConsole<Own> {
  readonly gateway: Own;
  readonly browser: Browser;
  /** Signed in, as are its page and what went wrong there, which no test may bring about. */
  readonly open: ConsolePage;
  readonly page: Page;
}

/** To be called where tests are declared. @param clock of the gateway and the browser: noon, so that no day ends meanwhile, or the real one */
export function consoleForTests<Own extends Gateway>(
  { start, clock = "noon" }: { readonly start: () => Promise<Own>; readonly clock?: "noon" | "real" },
  whenOpen: (opened: OpenedConsole<Own>) => void,
): void {
  let all: OpenedConsole<Own> | undefined;
  let endNoon = () => {};
  beforeAll(async () => {
    if (clock === "noon") endNoon = beginAtNoon();
    const [gateway, browser] = [await start(), await openBrowser()];
    const open = await openSignedIn(browser, gateway.address);
    all = { gateway, browser, open, page: open.page };
    whenOpen(all);
  }, 240_000);
  afterEach(async () => {
    if (all === undefined) return;
    await all.page.unrouteAll({ behavior: "ignoreErrors" });
    await expectUnharmed(all.open);
  });
  afterAll(async () => {
    await all?.browser.close();
    await all?.gateway.stop();
    endNoon();
  });
}
