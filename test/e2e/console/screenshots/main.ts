/**
 * `npm run screenshots`: photographs every page of the console in every state, at four widths, light and dark, into
 * `screenshots/`, with contact sheets of them in `screenshots/sheets`; with `-- --docs` also those that documentation shows, into `docs/console`. Names of views as further arguments
 * choose some of them. Needs Chromium, and `npm run build` before.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser, signIn } from "../page.js";
import { type DemoGateway, startDemoGateway } from "./gateway.js";
import { spreadOverDay } from "./history.js";
import { makeSheets } from "./sheets.js";
import { STATES } from "./states.js";
import { createKeys, sendConversation, sendRequests } from "./traffic.js";
import { DOCUMENTED, VIEWS, type View } from "./views.js";

const WIDTHS = [1920, 1280, 720, 390] as const;
const SCHEMES = ["light", "dark"] as const;
const HEIGHT = 900;
/** Until a view is there, also on a busy machine. */
const LONGEST_MS = 60_000;
const FOLDER = "screenshots";
/** Pictures beside each other on a contact sheet: large enough to read them. */
const COLUMNS: Readonly<Record<(typeof WIDTHS)[number], number>> = { 1920: 2, 1280: 2, 720: 3, 390: 5 };
const DOCUMENTATION = "docs/console";
/** Leaves out rows of long tables that are not drawn; not as an element, which the page's security policy refuses. */
const WITHOUT_GAPS = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".rows-gap { display: none !important }");
  document.adoptedStyleSheets.push(sheet);
}`;

type Scheme = (typeof SCHEMES)[number];

interface Picture {
  readonly width: number;
  readonly scheme: Scheme;
  readonly views: readonly View[];
  readonly fileOf: (view: View) => string;
  /** `whole`: the page down to its end. */
  readonly cut: "whole" | "window";
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const forDocumentation = process.argv.includes("--docs");
const ALL_VIEWS = [...VIEWS, ...STATES];
const chosen = names.length === 0 ? ALL_VIEWS : ALL_VIEWS.filter(({ name }) => names.includes(name));

const gateway = await startDemoGateway({ budgets: "with alerts" });
const browser = await openBrowser();
try {
  const keys = await createKeys(gateway);
  await sendRequests(gateway, { keys, share: 0.5 });
  await gateway.restart(() => spreadOverDay(gateway.traceFile));
  await sendRequests(gateway, { keys, share: 1 });
  await sendConversation(gateway);
  // First, while the running minute is that of the requests.
  if (forDocumentation) {
    const files = new Map(DOCUMENTED.map(({ view, file }) => [view, join(DOCUMENTATION, file)]));
    const views = VIEWS.filter(({ name }) => files.has(name));
    const fileOf = ({ name }: View) => files.get(name) ?? "";
    await photograph(gateway, browser, { width: 1280, scheme: "light", views, fileOf, cut: "window" });
  }
  mkdirSync(FOLDER, { recursive: true });
  for (const scheme of SCHEMES) {
    for (const width of WIDTHS) {
      const fileOf = ({ name }: View) => join(FOLDER, `${name}-${width}-${scheme}.png`);
      await photograph(gateway, browser, { width, scheme, views: chosen, fileOf, cut: "whole" });
      await makeSheets(browser, {
        files: chosen.map(fileOf),
        columns: COLUMNS[width],
        folder: join(FOLDER, "sheets"),
        name: `${width}-${scheme}`,
      });
    }
  }
} finally {
  await browser.close();
  await gateway.stop();
}

async function photograph(
  { address }: DemoGateway,
  browser: Browser,
  { width, scheme, views, fileOf, cut }: Picture,
): Promise<void> {
  const viewport = { width, height: HEIGHT };
  const context = await browser.newContext({ colorScheme: scheme, viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(`${address}/console`);
  await signIn(page);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const view of views) {
    await view.before?.(page);
    await page.goto(`${address}/console${view.path}`);
    try {
      await page.getByText(view.ready).filter({ visible: true }).first().waitFor();
      await view.prepare?.(page);
      if (view.settles !== false) await page.waitForLoadState("networkidle");
    } catch (fault) {
      // Its picture says more than the fault, and the others are still taken.
      // biome-ignore lint/suspicious/noConsole: a script for people.
      console.error(`${fileOf(view)}: ${String(fault).slice(0, 200)}`);
      process.exitCode = 1;
    }
    await page.evaluate(WITHOUT_GAPS);
    await page.screenshot({ path: fileOf(view), fullPage: cut === "whole", animations: "disabled" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
  await context.close();
}
