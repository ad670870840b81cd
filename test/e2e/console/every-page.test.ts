/** What holds for every page of the console: on narrow screens, enlarged, by keyboard, for screen readers. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, sendTraffic, startGateway } from "./gateway.js";
import {
  type ConsolePage,
  expectAccessibleInBothThemes,
  openBrowser,
  openConsole,
  settled,
  signIn,
} from "./page.js";
import { pagesOf, type VisitedPage } from "./pages.js";

let gateway: Gateway;
let browser: Browser;
let pages: readonly VisitedPage[];

const file = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
  await sendTraffic(gateway);
  await gateway.ask("/admin/keys", {
    name: "An application with a rather long name, production",
    scopes: ["inference"],
    limits: { requests_per_minute: 10, tokens_per_minute: 10_000, usd_per_month: 4 },
  });
  pages = await pagesOf(gateway);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme?: "light" | "dark";
}

/** Signed in, on a screen of some size, and away afterwards. */
async function onScreen(
  { width, height, scheme }: Screen,
  use: (open: ConsolePage) => Promise<void>,
): Promise<void> {
  const open = await openConsole(browser, gateway.address, scheme);
  try {
    await open.page.setViewportSize({ width, height });
    await signIn(open.page);
    await open.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await use(open);
  } finally {
    await open.context.close();
  }
}

async function visitAll(page: Page, check: (name: string) => Promise<void>): Promise<void> {
  for (const { name, path, complete } of pages) {
    await page.goto(`${gateway.address}/console${path}`);
    await complete(page);
    await settled(page);
    await check(name);
  }
}

/** The least contrast of a text in an element with what is behind it, by WCAG 2; infinite when it has none. What is typed counts as one. */
const CONTRAST = new Function(
  "element",
  `
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (...colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colours) => {
    const [red, green, blue] = painted(...colours).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (text) => {
    const behind = [];
    for (let each = text; painted(...behind)[3] < 255; each = each.parentElement)
      behind.unshift(getComputedStyle(each).backgroundColor);
    const [low, high] = [luminance([...behind, getComputedStyle(text).color]), luminance(behind)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = [element, ...element.querySelectorAll("*")].filter(
    (each) =>
      each.checkVisibility() &&
      (each.matches("input, select, textarea") ||
        [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")),
  );
  return Math.min(...texts.map(contrastOf));
`,
) as (element: unknown) => number;
/** Of texts that are neither large nor bold. */
const LEAST_CONTRAST = 4.5;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A window of 1280 × 900 at 200 %. */
const ENLARGED = { width: 640, height: 450 };
/** Rows of tables are cards where a screen is not wide. */
const SCREENS = [
  { screen: PHONE, isWide: false },
  { screen: { width: 320, height: 640 }, isWide: false },
  { screen: ENLARGED, isWide: false },
  { screen: { width: 720, height: 900 }, isWide: false },
  { screen: WIDE, isWide: true },
  { screen: { width: 1920, height: 1080 }, isWide: true },
];

it("Tests visit every page of the console", () => {
  const source = readFileSync(file("src/console/console.tsx"), "utf8");
  const routes = [...source.matchAll(/<Route path="([^"]*)"/g)].map(([, route]) => route);
  expect(routes.length).toBeGreaterThan(5);
  expect(new Set(pages.map(({ route }) => route))).toEqual(new Set([...routes, "*"]));
});

it.each(["light", "dark"] as const)(
  "Buttons of the console are legible in every state, %s",
  async (scheme) => {
    await onScreen({ ...WIDE, scheme }, async ({ page }) => {
      await page.goto(`${gateway.address}/console/keys`);
      for (const name of ["Create key", /^Edit/, /^Revoke/]) {
        const button = page.getByRole("button", { name }).first();
        const expectContrast = (state: string) => expectLegible(button, `${name} ${state}`);
        await button.waitFor();
        await expectContrast("at rest");
        await button.hover();
        await expectContrast("under the pointer");
        await page.mouse.down();
        await expectContrast("pressed");
        await page.mouse.move(0, 0);
        await page.mouse.up();
        await button.focus();
        await expectContrast("with the focus");
      }
    });
  },
);

it("Every page of the console fits the width of phones and of windows, as it is resized", async () => {
  let cells = 0;
  await onScreen(PHONE, async ({ page, faults }) => {
    await visitAll(page, async (name) => {
      for (const { screen, isWide } of SCREENS) {
        await page.setViewportSize(screen);
        await settled(page);
        const where = `${name}, ${screen.width} pixels wide`;
        expect(await page.evaluate(OVERHANG), where).toBe(0);
        // How it is scrolled is measured after the layout.
        await expect.poll(() => page.evaluate(CUT_OFF), { message: where, timeout: 10_000 }).toEqual([]);
        if (isWide) await expectWidthUsed(page, where);
        else cells += await expectCards(page, where);
      }
      // Where the next page is opened.
      await page.setViewportSize(PHONE);
    });
    expect(faults).toEqual([]);
  });
  expect(cells).toBeGreaterThan(400);
});

async function expectWidthUsed(page: Page, where: string): Promise<void> {
  expect(await page.evaluate(SCROLLED_TABLES), where).toEqual([]);
  expect(await page.evaluate(DISPLACED), where).toEqual([]);
  expect(await page.evaluate(UNUSED_WIDTH), where).toBeLessThan(50);
}

/** @returns how many cells the tables have */
async function expectCards(page: Page, where: string): Promise<number> {
  const { cells, bad } = (await page.evaluate(CARDS)) as Cards;
  expect(bad, where).toEqual([]);
  return cells;
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

interface Cards {
  readonly cells: number;
  readonly bad: readonly string[];
}

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
const CARDS = `
  (() => {
    const cells = [...document.querySelectorAll("main :is(.table-wrap, .set-report .rows) tbody tr:not(.rows-gap) > td")];
    const isBad = (cell) => {
      if (getComputedStyle(cell.parentElement).display !== "grid") return true;
      const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].cloneNode(true);
      for (const hidden of head.querySelectorAll(".unseen, [aria-hidden]")) hidden.remove();
      const label = head.textContent.trim();
      return label !== "" && getComputedStyle(cell, "::before").content !== JSON.stringify(label);
    };
    return { cells: cells.length, bad: cells.filter(isBad).map((cell) => cell.outerHTML.slice(0, 200)) };
  })()`;

describe("The header of the console on a phone", () => {
  it("is at most 80 pixels high, and unfolds to all pages", async () => {
    await onScreen(PHONE, async ({ page }) => {
      expect(await page.evaluate("document.querySelector('header').offsetHeight")).toBeLessThanOrEqual(80);
      const menu = page.getByRole("button", { name: "Menu" });
      const keys = page.getByRole("link", { name: "Keys", exact: true });
      expect(await keys.isVisible()).toBe(false);
      await menu.press("Enter");
      await keys.waitFor();
      expect(await menu.getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("Escape");
      await keys.waitFor({ state: "hidden" });
      await expect.poll(() => page.evaluate(FOCUSED)).toContain("Menu");
      await menu.click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      await page.getByLabel("Dark").waitFor();
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
});

const FOCUSED = "document.activeElement.textContent";

describe("Every page of the console by keyboard", () => {
  it.each([
    ["on a wide screen", WIDE],
    ["on a phone", PHONE],
  ])("shows where the focus is, %s", async (_name, screen) => {
    await onScreen(screen, async ({ page }) => {
      await visitAll(page, async (name) => {
        await page.evaluate("document.activeElement?.blur()");
        const seen: unknown[] = [];
        for (let at = 0; at < MOST_TABS; at++) {
          await page.keyboard.press("Tab");
          const focus = (await page.evaluate(FOCUS)) as {
            readonly fault: string | null;
            readonly isPage: boolean;
          };
          if (focus.isPage) break;
          seen.push(focus);
          expect(focus.fault, name).toBeNull();
        }
        expect(seen.length, name).toBeGreaterThan(1);
      });
    });
  });

  it("leads from a row to what it stands for, and begins there", async () => {
    await onScreen(WIDE, async ({ page }) => {
      await page.goto(`${gateway.address}/console/traces`);
      await page.getByRole("link", { name: "details" }).first().waitFor();
      await settled(page);
      await page.getByRole("link", { name: "details" }).last().press("Enter");
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("page");
      await expect.poll(() => page.evaluate("scrollY")).toBe(0);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    });
  });
});

/** Each page has fewer, or its first ones say enough. */
const MOST_TABS = 45;

/** Whether the focus is seen: it has an outline, or what stands for it has, and the header does not cover it. */
const FOCUS = `
  (() => {
    const element = document.activeElement;
    if (element === document.body || element === document.documentElement) return { isPage: true, fault: null };
    const html = element.outerHTML.slice(0, 160);
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
    return { isPage: false, fault: fault === null ? null : fault + ": " + html };
  })()`;

describe("Dialogs of the console", () => {
  it("keep the focus, and give it back", async () => {
    await onScreen(WIDE, async ({ page }) => {
      await page.goto(`${gateway.address}/console/keys`);
      const rotate = page.getByRole("button", { name: "Rotate An application" });
      const dialog = page.getByRole("dialog");
      await rotate.press("Enter");
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
      await expect.poll(label).toContain("Rotate An application");
      const edit = page.getByRole("button", { name: "Edit An application" });
      await edit.press("Enter");
      await dialog.getByRole("button", { name: "Save" }).press("Enter");
      await expect.poll(() => dialog.count()).toBe(0);
      await expect.poll(label).toContain("Edit An application");
    });
  });

  it("fit a small screen, and show that they scroll", async () => {
    await onScreen(ENLARGED, async ({ page }) => {
      await page.goto(`${gateway.address}/console/keys`);
      await page.getByRole("button", { name: "Create key" }).click();
      const content = page.getByRole("dialog").getByRole("region", { name: "Create key" });
      await expect.poll(() => content.getAttribute("data-more")).toBe("bottom");
      expect(await content.getAttribute("tabindex")).toBe("0");
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).scrollIntoViewIfNeeded();
      await expect.poll(() => content.getAttribute("data-more")).toContain("top");
    });
  });
});

describe.each([1280, 390])("Every page of the console, %d pixels wide, in both themes,", (width) => {
  it("has no accessibility violations, and a text for every picture", async () => {
    const signedOut = await openConsole(browser, gateway.address);
    await signedOut.page.getByLabel("API key").waitFor();
    await expectAccessibleInBothThemes(signedOut.page, "Sign in");
    await signedOut.context.close();
    await onScreen({ width, height: 900 }, async ({ page, faults }) => {
      await visitAll(page, async (name) => {
        await expectAccessibleInBothThemes(page, name);
        expect(await page.evaluate(SILENT_PICTURES), name).toEqual([]);
      });
      await page.goto(`${gateway.address}/console/keys`);
      for (const action of ["Create key", "Edit", "Rotate", "Revoke"]) {
        await page.getByRole("button", { name: action }).first().click();
        await page.getByRole("dialog").waitFor();
        await expectAccessibleInBothThemes(page, action);
        await page.keyboard.press("Escape");
      }
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("searchbox").fill("key");
      await page.getByRole("link", { name: /^Page Keys/ }).waitFor();
      await expectAccessibleInBothThemes(page, "Find");
      await page.keyboard.press("ArrowDown");
      await expectAccessibleInBothThemes(page, "Find, a result with the focus");
      await page.keyboard.press("Escape");
      await page.goto(`${gateway.address}/console/failures`);
      await page
        .getByRole("button", { name: /^Pause… or redirect/ })
        .first()
        .click();
      await expectAccessibleInBothThemes(page, "Pause");
      await page.keyboard.press("Escape");
      if (width < 800) {
        await page.getByRole("button", { name: "Menu" }).click();
        await expectAccessibleInBothThemes(page, "Menu");
        await page.getByText("Views", { exact: true }).click();
        await page.getByRole("button", { name: "Save this view" }).waitFor();
        await expectAccessibleInBothThemes(page, "Menu with the views");
      }
      expect(faults).toEqual([]);
    });
  });
});

it("Everything that can be used on pages of the console is legible under the pointer and with the focus, in both themes", async () => {
  const seen = new Set<string>();
  await onScreen(WIDE, async ({ page }) => {
    await visitAll(page, async (name) => {
      for (const selector of USABLE) {
        const one = page.locator(selector).filter({ visible: true }).first();
        if ((await one.count()) === 0) continue;
        const look = await one.evaluate(LOOK);
        if (seen.has(`${selector} ${look}`)) continue;
        seen.add(`${selector} ${look}`);
        await expectLegibleInUse(page, one, `${name}, ${selector}`);
      }
    });
  });
  expect(seen.size).toBeGreaterThan(USABLE.length);
}, 900_000);

/** Kinds of things that look different under the pointer and with the focus; the first of each is looked at. */
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

/** With the pointer on it, and then with the focus in it. */
async function expectLegibleInUse(page: Page, one: Locator, name: string): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await one.hover({ force: true });
    await expectLegible(one, `${name} under the pointer, ${scheme}`);
    await one.focus();
    await expectLegible(one, `${name} with the focus, ${scheme}`);
    await page.mouse.move(0, 0);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const expectLegible = async (one: Locator, message: string) =>
  expect(await one.evaluate(CONTRAST), message).toBeGreaterThan(LEAST_CONTRAST);

/** Charts and drawings that are neither described nor hidden from screen readers. */
const SILENT_PICTURES = `
  [...document.querySelectorAll("canvas, svg")]
    .filter((picture) => {
      const described = picture.closest("[role=img], [role=application]");
      return picture.closest("[aria-hidden=true]") === null && (described?.getAttribute("aria-label") ?? "").length < 10;
    })
    .map((picture) => picture.outerHTML.slice(0, 120))`;
