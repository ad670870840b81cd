/** What holds for every page of the console: on narrow screens, enlarged, by keyboard, for screen readers. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Gateway, sendTraffic, startGateway } from "./gateway.js";
import { expectAccessible, expectAccessibleInBothThemes, goTo, openConsole, settled } from "./page.js";
import { DIALOGS, PAGES, type VisitedPage } from "./pages.js";
import { consoleForTests } from "./suite.js";

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A window of 1280 × 900 at 200 %. */
const ENLARGED = { width: 640, height: 450 };
/** Rows of tables are cards where a screen is not wide. */
const SCREENS = [
  { screen: { width: 1920, height: 1080 }, isWide: true },
  { screen: WIDE, isWide: true },
  { screen: { width: 720, height: 900 }, isWide: false },
  { screen: ENLARGED, isWide: false },
  { screen: { width: 320, height: 640 }, isWide: false },
  { screen: PHONE, isWide: false },
];

let gateway: Gateway;
let browser: Browser;
let page: Page;
consoleForTests(
  {
    async start() {
      const started = await startGateway();
      await sendTraffic(started);
      return started;
    },
    clock: "real",
  },
  (opened) => {
    ({ gateway, browser, page } = opened);
  },
);

async function visit({ path, complete }: VisitedPage): Promise<void> {
  await page.setViewportSize(WIDE);
  await goTo(page, typeof path === "string" ? path : await path(gateway));
  await complete(page);
  await settled(page);
}

it("Tests visit every page of the console", () => {
  const source = readFileSync(new URL("../../../src/console/console.tsx", import.meta.url), "utf8");
  const routes = [...source.matchAll(/<Route path="([^"]*)"/g)].map(([, route]) => route);
  expect(routes.length).toBeGreaterThan(5);
  expect(new Set(PAGES.map(({ route }) => route))).toEqual(new Set([...routes, "*"]));
});

describe("The page", () => {
  it.each(PAGES.map((visited) => [visited.name, visited] as const))(
    "%s is for everybody: legible, described, used by keyboard, on every screen, in both themes",
    async (name, visited) => {
      await visit(visited);
      await expectAccessibleInBothThemes(page, name);
      expect(await page.evaluate(SILENT_PICTURES)).toEqual([]);
      await expectFocusSeen();
      await expectUsableLegible();
      for (const { screen, isWide } of SCREENS) {
        await page.setViewportSize(screen);
        await settled(page);
        await expectFits(`${screen.width} pixels wide`);
        if (isWide) await expectWidthUsed();
        else await expectCards();
      }
      await expectAccessible(page, `${name}, on a phone`);
      await expectFocusSeen();
    },
  );

  it("before signing in is for everybody, too", async () => {
    const signedOut = await openConsole(browser, gateway.address);
    await signedOut.page.getByLabel("API key").waitFor();
    await expectAccessibleInBothThemes(signedOut.page, "Sign in");
    await signedOut.context.close();
  });
});

/** Nothing is wider than the screen, and what is cut off says that there is more. */
async function expectFits(where: string): Promise<void> {
  expect(await page.evaluate(OVERHANG), where).toBe(0);
  // How it is scrolled is measured after the layout.
  await expect.poll(() => page.evaluate(CUT_OFF), { message: where }).toEqual([]);
}

async function expectWidthUsed(): Promise<void> {
  expect(await page.evaluate(SCROLLED_TABLES)).toEqual([]);
  expect(await page.evaluate(DISPLACED)).toEqual([]);
  expect(await page.evaluate(UNUSED_WIDTH)).toBeLessThan(50);
}

async function expectCards(): Promise<void> {
  expect(await page.evaluate(BAD_CELLS)).toEqual([]);
}

/** Tables that are made to fit into a wide window, and do not. */
const SCROLLED_TABLES = `
  [...document.querySelectorAll(".table-wrap.with-page")]
    .filter((table) => table.scrollWidth - table.clientWidth > 2)
    .map((table) => table.ariaLabel)`;

/** Titles of pages whose controls stand below them, where they stand beside the titles of other pages. */
const DISPLACED = `
  [...document.querySelectorAll(".page-head")]
    .filter(({ children: [title, controls] }) =>
      controls && controls.getBoundingClientRect().top >= title.getBoundingClientRect().bottom)
    .map((row) => row.textContent)`;

/** Pixels right of the content that a wide window leaves empty. */
const UNUSED_WIDTH = `innerWidth - document.querySelector(".page").getBoundingClientRect().right`;

const OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** What does not show all that it holds, and neither ends in an ellipsis nor fades out. */
const CUT_OFF = `
  [...document.querySelectorAll("main *, header *")]
    .filter((element) => {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
      if (element.matches("input, textarea, select, .unseen, thead, svg *") || element.clientWidth === 0) return false;
      const more = (element.dataset.more ?? "").split(" ");
      const across = overflowX !== "visible" && element.scrollWidth - element.clientWidth > 2;
      const down = overflowY !== "visible" && element.scrollHeight - element.clientHeight > 2;
      return (
        (across && textOverflow !== "ellipsis" && !more.includes("left") && !more.includes("right")) ||
        (down && textOverflow !== "ellipsis" && !more.includes("top") && !more.includes("bottom"))
      );
    })
    .map((element) => element.outerHTML.slice(0, 200))`;

/** Cells that are not laid out as a card, or whose column has a name that they do not show. */
const BAD_CELLS = `
  [...document.querySelectorAll("main :is(.table-wrap, .set-report .rows) tbody tr > td")]
    .filter((cell) => {
      if (!["grid", "flex"].includes(getComputedStyle(cell.parentElement).display)) return true;
      const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].cloneNode(true);
      for (const hidden of head.querySelectorAll(".unseen, [aria-hidden]")) hidden.remove();
      const label = head.textContent.trim();
      return label !== "" && getComputedStyle(cell, "::before").content !== JSON.stringify(label);
    })
    .map((cell) => cell.outerHTML.slice(0, 200))`;

/** Wherever the Tab key leads, from the beginning of the page on. */
async function expectFocusSeen(): Promise<void> {
  await page.locator("#page").focus();
  for (let at = 0; at < MOST_TABS && (await page.evaluate(FOCUS)) !== "no element"; at++) {
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(FOCUS), { timeout: 10_000 }).toMatch(/^(seen|no element)$/);
  }
}

/** Each page has fewer, or its first ones say enough. */
const MOST_TABS = 45;

/** Whether the focus is seen: it has an outline, or what stands for it has, and the header does not cover it. */
const FOCUS = `
  (() => {
    const element = document.activeElement;
    if (element === document.body || element === document.documentElement) return "no element";
    if (element.id === "page") return "seen";
    const ring = element.matches(".segments input") ? element.nextElementSibling : element;
    const { outlineStyle, outlineWidth } = getComputedStyle(ring);
    const { left, top, width, height } = ring.getBoundingClientRect();
    const x = left + width / 2, y = top + height / 2;
    const fault =
      outlineStyle === "none" || parseFloat(outlineWidth) < 1 ? "no outline"
      : width === 0 || height === 0 ? "no size"
      : top + height < 0 || top > innerHeight || left > innerWidth || left + width < 0 ? "out of view"
      : element.closest("header") === null && document.elementFromPoint(x, y)?.closest("header") ? "covered"
      : null;
    return fault === null ? "seen" : fault + ": " + element.outerHTML.slice(0, 160);
  })()`;

/** What can be used is legible under the pointer, pressed and with the focus, in both themes. */
async function expectUsableLegible(): Promise<void> {
  for (const selector of USABLE) {
    const one = page.locator(selector).filter({ visible: true }).first();
    if ((await one.count()) === 0) continue;
    const look = `${selector} ${await one.evaluate(LOOK)}`;
    if (seen.has(look)) continue;
    seen.add(look);
    for (const colorScheme of ["light", "dark"] as const) {
      const expectLegible = async (state: string) =>
        expect(await one.evaluate(ILLEGIBLE), `${selector} ${state}, ${colorScheme}`).toEqual([]);
      await page.emulateMedia({ colorScheme });
      await one.hover({ force: true });
      await expectLegible("under the pointer");
      if (selector.includes(".button")) {
        await page.mouse.down();
        await expectLegible("pressed");
        await page.mouse.move(0, 0);
        await page.mouse.up();
      }
      await one.focus();
      await expectLegible("with the focus");
      await page.mouse.move(0, 0);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
}

/** Kinds of elements with their looks that were looked at on some page. */
const seen = new Set<string>();

/** Kinds of things that look different under the pointer and with the focus; the first of each look is looked at. */
const USABLE = [
  "main a:not(.button)",
  "main .button:not(:disabled)",
  "main .segments label",
  "main summary",
  "main .sort",
  "main :is(.table-wrap, .rows) tbody tr",
  "main .stat.linked",
  "main input.input, main select, main textarea",
  ".nav-link",
];

/** Classes of an element and of all that it lies in, and the attributes that style sheets name: what has the same looks the same. */
const LOOK = new Function(
  "element",
  `
  const looks = [];
  for (let each = element; each !== null; each = each.parentElement)
    looks.push([each.tagName, each.className, each.ariaCurrent, each.ariaPressed, each.ariaSort, each.dataset.more].join());
  return looks.join(" ");
`,
) as (element: unknown) => string;

/** Texts in an element whose contrast with what is behind them is too low, by WCAG 2. */
const ILLEGIBLE = new Function(
  "element",
  `return axe.run(element, { runOnly: ["color-contrast"], resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => html + failureSummary)));`,
) as (element: unknown) => Promise<readonly string[]>;

/** Charts and drawings that are neither described nor hidden from screen readers. */
const SILENT_PICTURES = `
  [...document.querySelectorAll("canvas, svg")]
    .filter((picture) => {
      const described = picture.closest("[role=img], [role=application]");
      return picture.closest("[aria-hidden=true]") === null && (described?.getAttribute("aria-label") ?? "").length < 10;
    })
    .map((picture) => picture.outerHTML.slice(0, 120))`;

describe("The header of the console on a phone", () => {
  it("is at most 80 pixels high, and unfolds to all pages", async () => {
    await page.setViewportSize(PHONE);
    await goTo(page, "/");
    expect(await page.evaluate("document.querySelector('header').offsetHeight")).toBeLessThanOrEqual(80);
    const menu = page.getByRole("button", { name: "Menu" });
    const keys = page.getByRole("link", { name: "Keys", exact: true });
    expect(await keys.isVisible()).toBe(false);
    await menu.press("Enter");
    await keys.waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate(FOCUSED)).toContain("Menu");
    await menu.click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.getByLabel("Dark").waitFor();
    await expectAccessibleInBothThemes(page, "Menu");
    await keys.click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await keys.waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("page");
    await menu.click();
    await keys.waitFor();
    await page.mouse.click(200, 800);
    await keys.waitFor({ state: "hidden" });
  });
});

const FOCUSED = "document.activeElement.textContent";

describe("Dialogs of the console", () => {
  it("keep the focus, and give it back", async () => {
    await page.setViewportSize(WIDE);
    await goTo(page, "/keys");
    const actions = page.getByRole("button", { name: "Actions for An application" });
    const dialog = page.getByRole("dialog");
    await actions.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    for (let at = 0; at < 20; at++) {
      await page.keyboard.press(at < 10 ? "Tab" : "Shift+Tab");
      const outside =
        "!document.activeElement.matches('body') && document.activeElement.closest('dialog') === null";
      expect(await page.evaluate(outside)).toBe(false);
    }
    await dialog.getByRole("button", { name: "In a day" }).press("Enter");
    await page.getByTestId("new-key").waitFor();
    await dialog.getByRole("button", { name: "Done" }).press("Enter");
    await expect.poll(() => dialog.count()).toBe(0);
    const label = () => page.evaluate("document.activeElement.ariaLabel");
    await expect.poll(label).toContain("Actions for An application");
    await actions.press("Enter");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("e");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Save" }).press("Enter");
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(label).toContain("Actions for An application");
  });

  it("fit a small screen, and show that they scroll", async () => {
    await page.setViewportSize(ENLARGED);
    await goTo(page, "/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    const content = page.getByRole("dialog").getByRole("region", { name: "Create key" });
    await expect.poll(() => content.getAttribute("data-more")).toBe("bottom");
    expect(await content.getAttribute("tabindex")).toBe("0");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).scrollIntoViewIfNeeded();
    await expect.poll(() => content.getAttribute("data-more")).toContain("top");
    await page.keyboard.press("Escape");
  });

  it.each(DIALOGS)("are for everybody: %s", async (name, path, opening) => {
    for (const screen of [WIDE, PHONE]) {
      await page.setViewportSize(screen);
      await goTo(page, path);
      await opening(page);
      await page.getByRole("dialog").waitFor();
      await expectAccessibleInBothThemes(page, name);
      await page.keyboard.press("Escape");
    }
  });
});
