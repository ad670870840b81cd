import type { Page } from "playwright-core";

/** One page of the console in one state. */
export interface View {
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** A text that is there when the page is whole. */
  readonly ready: string | RegExp;
  /** What to do before the page is opened. What it intercepts is let through again afterwards. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What to do before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** False where requests go on for ever. */
  readonly settles?: boolean;
}

const PROMPT = "Prove that the square root of two is irrational, then explain the proof to a ten-year-old.";

export const VIEWS: readonly View[] = [
  { name: "overview", path: "/?range=24h", ready: "Latency p50" },
  { name: "overview-key", path: "/?range=24h&by=key", ready: "Latency p50" },
  { name: "overview-15m", path: "/?range=15m&by=source", ready: "Latency p50" },
  { name: "overview-month", path: "/?range=month&by=tenant", ready: "Spend since" },
  { name: "traces", path: "/traces", ready: "Next" },
  {
    name: "overview-empty",
    path: "/?from=2026-01-31T10:00:00Z&to=2026-01-31T11:00:00Z",
    ready: "No requests in this period",
  },
  { name: "overview-views", path: "/?range=24h", ready: "Latency p50", prepare: openViews },
  { name: "overview-times", path: "/?range=24h", ready: "Latency p50", prepare: openTimes },
  { name: "traces-live", path: "/traces?live=1&source=support", ready: "Pause live" },
  { name: "traces-by-cost", path: "/traces?sort=cost_usd&range=24h", ready: "Next" },
  { name: "traces-errors", path: "/traces?status=error", ready: "upstream_rate_limited" },
  { name: "traces-none", path: "/traces?q=nothing+says+this", ready: "No matching traces" },
  { name: "trace", path: "/traces?kind=router", ready: "Next", prepare: openFirstTrace },
  { name: "trace-again", path: "/traces?metadata.order=88213", ready: "of 2", prepare: routeAgain },
  { name: "conversation", path: "/conversation?metadata.order=88213", ready: "Requests, oldest first" },
  {
    name: "trace-failed",
    path: "/traces?status=error",
    ready: "upstream_rate_limited",
    prepare: openFirstTrace,
  },
  { name: "alerts", path: "/alerts", ready: "per-source" },
  { name: "router-empty", path: "/router", ready: "No prompt yet" },
  { name: "router", path: "/router?cost_weight=0.3", ready: "No prompt yet", prepare: decide },
  { name: "router-all", path: "/router?models=all", ready: "No prompt yet", prepare: decide },
  {
    name: "router-several",
    path: "/router?view=several+prompts",
    ready: "No prompts yet",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Take four examples" }).click();
      await page.getByRole("region", { name: "Chosen models by prompt" }).waitFor();
    },
  },
  {
    name: "router-compare",
    path: "/router?view=compare&left=gpt-5.4-mini&right=auto:0.4",
    ready: "Nothing to compare yet",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Take four examples" }).click();
      await page.getByRole("button", { name: "Ask both: 8 requests" }).click();
      await page.getByRole("link", { name: /^…/ }).nth(7).waitFor();
    },
  },
  {
    name: "router-traffic",
    path: "/router?view=past+traffic&range=24h&cost_weight=0.4",
    ready: "requests were read",
  },
  { name: "profiles", path: "/profiles", ready: "Expected quality" },
  { name: "profile", path: "/profiles?model=gpt-4o-mini", ready: "Published scores" },
  { name: "profiles-report", path: "/profiles?view=report", ready: "Map of the anchors" },
  { name: "keys", path: "/keys", ready: "Support bot" },
  {
    name: "keys-create",
    path: "/keys",
    ready: "Support bot",
    prepare: (page) => page.getByRole("button", { name: "Create key" }).click(),
  },
  {
    name: "keys-edit",
    path: "/keys",
    ready: "Support bot",
    prepare: (page) => page.getByRole("button", { name: "Edit Research notebooks" }).click(),
  },
  {
    name: "keys-rotate",
    path: "/keys",
    ready: "Support bot",
    prepare: (page) => page.getByRole("button", { name: "Rotate Research notebooks" }).click(),
  },
  { name: "find", path: "/keys", ready: "Support bot", prepare: find },
  {
    name: "keys-revoke",
    path: "/keys",
    ready: "Support bot",
    prepare: (page) => page.getByRole("button", { name: "Revoke Research notebooks" }).click(),
  },
  {
    name: "failures-none",
    path: "/failures?from=2026-01-31T10:00:00Z&to=2026-01-31T11:00:00Z",
    ready: "No failed requests",
  },
  { name: "conversation-none", path: "/conversation?metadata.order=0", ready: "0" },
  { name: "trace-unknown", path: "/traces/req_01KB0000000000000000000000", ready: "All traces" },
  { name: "key-unknown", path: "/keys/key_0", ready: "All keys" },
  { name: "not-found", path: "/nowhere", ready: "There is no such page" },
  { name: "keys-none", path: "/keys?q=nobody", ready: "No matching keys" },
  { name: "key", path: "/keys?order=refused", ready: "Support bot", prepare: openBillingKey },
  { name: "failures", path: "/failures?range=24h", ready: "rate_limited" },
  {
    name: "failures-pause",
    path: "/failures?range=24h",
    ready: "rate_limited",
    prepare: (page) =>
      page
        .getByRole("button", { name: /^Pause… or redirect/ })
        .first()
        .click(),
  },
  { name: "providers", path: "/providers", ready: "Not configured" },
  { name: "provider", path: "/providers?open=openai", ready: "Test connection" },
];

/** Views that documentation shows, with the width and scheme it shows them in. */
export const DOCUMENTED: readonly { readonly view: string; readonly file: string }[] = [
  { view: "overview", file: "overview.png" },
  { view: "keys", file: "keys.png" },
  { view: "router", file: "router.png" },
];

/** On narrow screens it is in the menu. */
async function openViews(page: Page): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  await page.getByText("Views", { exact: true }).click();
  await page.getByRole("button", { name: "Save this view" }).waitFor();
}

async function openTimes(page: Page): Promise<void> {
  await page.getByText("Drag in a chart to zoom, or choose times").click();
}

async function find(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("searchbox").fill("bill");
  await page.getByRole("link", { name: /^Key Billing/ }).waitFor();
}

async function openFirstTrace(page: Page): Promise<void> {
  await page.getByRole("link", { name: "details" }).first().click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
}

async function routeAgain(page: Page): Promise<void> {
  await openFirstTrace(page);
  await page.getByRole("button", { name: "Route this again" }).click();
  await page.getByRole("slider").fill("0.9");
  await page.getByText(/model (as|than) then/).waitFor();
}

async function openBillingKey(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Billing exports" }).click();
  await page.getByRole("heading", { name: "Use of limits" }).waitFor();
  await page.locator("canvas").first().waitFor();
}

async function decide(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt" }).fill(PROMPT);
  await page.getByRole("heading", { name: "Nearest evidence" }).waitFor();
}
