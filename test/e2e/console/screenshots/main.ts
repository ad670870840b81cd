/**
 * `npm run screenshots`: photographs every page of the console, while it loads, without an answer and with one, and every dialog,
 * at three widths, light and dark, into `screenshots/`, beside each other in `screenshots/sheets`; with `-- --docs` also those that
 * documentation shows, into `docs/console`. Names of pages as further arguments choose some. Needs Chromium, and `npm run build`
 * before.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { type Company, startCompany } from "../company.js";
import { sendConversation } from "../gateway.js";
import { openBrowser, signIn } from "../page.js";
import { DIALOGS, PAGES, type VisitedPage } from "../pages.js";

const WIDTHS = [1920, 1440, 390] as const;
const SCHEMES = ["light", "dark"] as const;
/** Until a page is there, also on a busy machine. */
const LONGEST_MS = 60_000;
const FOLDER = "screenshots";
/** Pictures on a sheet, which viewers show without making it smaller. */
const ON_A_SHEET = 8;
const DOCUMENTED: Readonly<Record<string, string>> = {
  "Overview of a day": "overview.png",
  Keys: "keys.png",
  Router: "router.png",
};
type View = Omit<VisitedPage, "route"> & { readonly before?: (page: Page) => Promise<unknown> };

const API = /\/(admin|v1)\//;
const FAULT = { error: { code: "trace_store_unavailable", message: "The trace store did not answer." } };
const hang = (page: Page) => page.route(API, () => {});
const fail = (page: Page) => page.route(API, (route) => route.fulfill({ status: 503, json: FAULT }));
const nothing = (page: Page) => page.locator("main").waitFor();

const VIEWS: readonly View[] = [
  {
    name: "Overview of a day",
    path: "/?range=24h",
    complete: (page) => page.locator("canvas").first().waitFor(),
  },
  ...PAGES.flatMap((page): View[] => [
    page,
    { ...page, name: `${page.name}, loading`, before: hang, complete: nothing },
    { ...page, name: `${page.name}, error`, before: fail, complete: nothing },
  ]),
  ...DIALOGS.map(([name, path, complete]) => ({ name: `${name}, dialog`, path, complete })),
];
const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const chosen = names.length === 0 ? VIEWS : VIEWS.filter(({ name }) => names.includes(name));

interface Picture {
  readonly width: number;
  readonly colorScheme: (typeof SCHEMES)[number];
  readonly views: readonly View[];
  readonly fileOf: (view: View) => string;
  /** The page down to its end. */
  readonly fullPage: boolean;
}

const gateway = await startCompany();
await sendConversation(gateway);
const browser = await openBrowser();
try {
  if (process.argv.includes("--docs")) {
    const views = VIEWS.filter(({ name }) => name in DOCUMENTED);
    const fileOf = ({ name }: View) => join("docs/console", DOCUMENTED[name] ?? "");
    await photograph(gateway, { width: 1280, colorScheme: "light", views, fileOf, fullPage: false });
  }
  mkdirSync(join(FOLDER, "sheets"), { recursive: true });
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const fileOf = ({ name }: View) =>
        join(FOLDER, `${name.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}.png`);
      await photograph(gateway, { width, colorScheme, views: chosen, fileOf, fullPage: true });
      await makeSheets(chosen.map(fileOf), `${width}-${colorScheme}`);
    }
  }
} finally {
  await browser.close();
  await gateway.stop();
}

async function photograph(
  company: Company,
  { width, colorScheme, views, fileOf, fullPage }: Picture,
): Promise<void> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(`${company.address}/console`);
  await signIn(page);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const view of views) {
    const path = typeof view.path === "string" ? view.path : await view.path(company);
    await view.before?.(page);
    await page.goto(`${company.address}/console${path}`);
    try {
      await view.complete(page);
      if (view.before !== hang) await page.waitForLoadState("networkidle");
    } catch (fault) {
      // Its picture says more than the fault, and the others are still taken.
      // biome-ignore lint/suspicious/noConsole: a script for people.
      console.error(`${fileOf(view)}: ${String(fault).slice(0, 200)}`);
      process.exitCode = 1;
    }
    await page.screenshot({ path: fileOf(view), fullPage, animations: "disabled" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
  await context.close();
}

/** So many pictures on one that all of them can be looked at; of a long page its beginning. */
async function makeSheets(files: readonly string[], name: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1560, height: 1500 } });
  for (let at = 0; at < files.length; at += ON_A_SHEET) {
    const figures = files.slice(at, at + ON_A_SHEET).map((file) => {
      const source = `data:image/png;base64,${readFileSync(file, "base64")}`;
      return `<div>${basename(file, ".png")}<br><img src="${source}" style="width: 100%"></div>`;
    });
    const style =
      "display: grid; grid-template: repeat(2, 740px) / repeat(4, 1fr); gap: 6px; overflow: hidden";
    await page.setContent(`<body style="${style}">${figures.join("")}</body>`);
    await page.screenshot({ path: join(FOLDER, "sheets", `${name}-${at / ON_A_SHEET + 1}.png`) });
  }
  await page.close();
}
