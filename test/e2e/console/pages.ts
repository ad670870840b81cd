/** All pages of the console, for tests that visit every one. */
import type { Page } from "playwright-core";
import { type Gateway, SESSION } from "./gateway.js";

export interface VisitedPage {
  readonly name: string;
  /** As in `src/console/console.tsx`; `*`: there is no such page. */
  readonly route: string;
  /** Below `/console`. */
  readonly path: string | ((gateway: Gateway) => Promise<string>);
  /** Opens everything that the page has, once it is there. What it fetches apart may still be on its way. */
  readonly complete: (page: Page) => Promise<unknown>;
}

const text = (ready: string | RegExp) => (page: Page) => page.getByText(ready).first().waitFor();

/** A page below `place`, of the first that is listed at an address of the API. */
function idAt(list: string, place: string) {
  return async ({ call }: Gateway) => {
    const { traces, data = traces } = (await call(list)).json() as Record<
      "traces" | "data",
      { request_id?: string; id?: string }[]
    >;
    const [first] = data;
    if (first === undefined) throw new Error(`${list} has nothing to visit`);
    return `${place}/${first.request_id ?? first.id}`;
  };
}

const row = (page: Page) => page.locator("tbody tr").first().waitFor();

const chart = (page: Page) => page.locator("canvas").first().waitFor();

/** Made while the page waits, once for each gateway; with what is expected at the next anchor of the map. */
async function report(page: Page): Promise<void> {
  const map = page.getByRole("application", { name: /^Map of the anchors/ });
  await map.waitFor();
  const details = page.locator("#map-details").filter({ hasText: "Would answer: " });
  const before = (await details.textContent()) ?? "";
  await map.focus();
  await page.keyboard.press("ArrowRight");
  await details.filter({ hasNotText: before }).waitFor();
  for (const title of ["Cost and quality", "Calibration"])
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
}

async function peek(page: Page): Promise<void> {
  await page.locator(".peek").first().click();
  await page.getByText(/^Asked for /).waitFor();
}

async function routeAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Route this again" }).click();
  await page.getByText(/^(Same|Different) model/).waitFor();
}

async function decide(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt" }).fill("Prove that there are infinitely many primes.");
  await page.getByRole("heading", { name: "Closest graded prompts" }).waitFor();
}

async function decideSeveral(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompts" }).fill("What is 2 + 2?\n\nProve that 17 is prime.");
  await page.getByRole("region", { name: "Chosen models by prompt" }).waitFor();
}

async function compare(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompts" }).fill("What is 2 + 2?");
  await page.getByText("Expected to cost").waitFor();
  await page.getByRole("button", { name: "Ask both: 2 requests" }).click();
  await page.getByRole("article", { name: "Answer of auto:0.4" }).getByRole("link").waitFor();
}

async function openValue(page: Page): Promise<void> {
  await page.getByText("Past traffic at every cost weight").click();
  await page.getByText("requests, drawn evenly").waitFor();
}

async function openProviders(page: Page): Promise<void> {
  await page.getByText("Add a provider").click();
  await page.getByRole("region", { name: "Models of broken" }).waitFor();
}

async function start(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("link", { name: "Open its trace" }).waitFor();
}

const MONTH = "/?by=tenant&range=month";
const PAST_HOUR = "/?from=2026-01-31T10:00:00Z&to=2026-01-31T11:00:00Z";
const COMPARE = "/router?view=compare&left=gpt-4o-mini&right=auto:0.4";

const ROWS: readonly (readonly [
  name: string,
  route: string,
  path: VisitedPage["path"],
  complete: VisitedPage["complete"],
])[] = [
  ["Overview", "/", "/", chart],
  ["Overview by key", "/", "/?by=key", chart],
  ["Overview of the month", "/", MONTH, chart],
  ["Overview of a past hour", "/", PAST_HOUR, text("No requests in this period")],
  ["Value", "/value", "/value?range=24h", openValue],
  ["Traces", "/traces", "/traces", row],
  ["Trace beside the list", "/traces", "/traces", peek],
  ["No traces", "/traces", "/traces?q=never+said", text("No matching")],
  ["Trace", "/traces/:id", idAt("/v1/traces?kind=router", "/traces"), routeAgain],
  ["Failed trace", "/traces/:id", idAt("/v1/traces?status=error&offset=1", "/traces"), text("Timeline")],
  [
    "Conversation",
    "/conversation",
    `/conversation?metadata.session_id=${SESSION}`,
    text("Please look it up."),
  ],
  ["Failures", "/failures", "/failures", text(/HTTP \d/)],
  ["Alerts", "/alerts", "/alerts", text("Needs attention")],
  ["Rules", "/alerts", "/alerts?tab=rules", row],
  ["Budgets", "/alerts", "/alerts?tab=budgets", text("No budgets")],
  ["Webhooks", "/alerts", "/alerts?tab=webhooks", text("No webhooks")],
  ["Router", "/router", "/router?cost_weight=0.3", decide],
  ["Several prompts", "/router", "/router?view=several+prompts", decideSeveral],
  ["Compare", "/router", COMPARE, compare],
  ["Profiles", "/profiles", "/profiles?model=gpt-5.5", text("Mean score")],
  ["Report", "/profiles", "/profiles?view=report", report],
  ["Keys", "/keys", "/keys", text("Highest use")],
  ["Key", "/keys/:id", idAt("/admin/keys", "/keys"), chart],
  ["Providers", "/providers", "/providers?provider=broken", openProviders],
  ["Start", "/start", "/start", start],
  ["Not found", "*", "/nowhere", text("There is no such page")],
];

export const PAGES: readonly VisitedPage[] = ROWS.map(([name, route, path, complete]) => ({
  name,
  route,
  path,
  complete,
}));

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();

/** By the menu of the first row. */
const act = (action: string) => async (page: Page) => {
  await button(/^Actions for/)(page);
  await page.getByRole("menuitem", { name: action }).click();
};

async function find(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Text, id" }).fill("key");
  await page.getByRole("option", { name: /^Pages Keys/ }).waitFor();
  await page.keyboard.press("ArrowDown");
}

/** What is opened over a page. */
async function giveFeedback(page: Page): Promise<void> {
  await page.getByRole("link", { name: "details" }).first().click();
  await page.getByRole("button", { name: "Give feedback" }).click();
}

export const DIALOGS: readonly (readonly [name: string, path: string, opening: VisitedPage["complete"]])[] = [
  ["Create key", "/keys", button("Create key")],
  ["Edit", "/keys", act("Edit")],
  ["Rotate", "/keys", act("Rotate")],
  ["Revoke", "/keys", act("Revoke")],
  ["Pause", "/failures", button(/^Pause… or redirect/)],
  ["Add budget", "/alerts?tab=budgets", button("Add budget")],
  ["Add webhook", "/alerts?tab=webhooks", button("Add webhook")],
  ["Feedback", "/traces", giveFeedback],
  ["Find", "/keys", find],
];
