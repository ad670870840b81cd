/** All pages of the console, for tests that visit every one. */
import type { Page } from "playwright-core";
import { ADMIN_KEY, type Gateway, SESSION } from "./gateway.js";

export interface VisitedPage {
  readonly name: string;
  /** As in `src/console/console.tsx`; `*`: there is no such page. */
  readonly route: string;
  /** Below `/console`. */
  readonly path: string;
  /** Opens everything that the page has, once it is there. What it fetches apart may still be on its way. */
  readonly complete: (page: Page) => Promise<unknown>;
}

const text = (ready: string) => (page: Page) => page.getByText(ready).first().waitFor();

/** @param gateway with the traffic of `sendTraffic` */
export async function pagesOf(gateway: Gateway): Promise<readonly VisitedPage[]> {
  const traced = await idsOf(gateway, "/v1/traces?kind=router", "traces");
  const failed = await idsOf(gateway, "/v1/traces?status=error", "traces");
  const keys = await idsOf(gateway, "/admin/keys", "data");
  return [
    { name: "Overview", route: "/", path: "/", complete: chart },
    { name: "Overview by key", route: "/", path: "/?by=key", complete: chart },
    {
      name: "Overview of the month",
      route: "/",
      path: "/?by=tenant&range=month",
      complete: text("Spend since"),
    },
    {
      name: "Overview of a past hour",
      route: "/",
      path: "/?from=2026-01-31T10:00:00Z&to=2026-01-31T11:00:00Z",
      complete: text("No requests in this period"),
    },
    { name: "Traces", route: "/traces", path: "/traces", complete: row },
    { name: "No traces", route: "/traces", path: "/traces?q=never+said", complete: text("No matching") },
    { name: "Trace", route: "/traces/:id", path: `/traces/${traced[0]}`, complete: routeAgain },
    {
      name: "Conversation",
      route: "/conversation",
      path: `/conversation?metadata.session_id=${SESSION}`,
      complete: text("Please look it up."),
    },
    {
      name: "Failed trace",
      route: "/traces/:id",
      path: `/traces/${failed.at(-1)}`,
      complete: text("Timeline"),
    },
    { name: "Failures", route: "/failures", path: "/failures", complete: text("HTTP 500") },
    { name: "Alerts", route: "/alerts", path: "/alerts", complete: text("OPS_WEBHOOK_URL") },
    { name: "Router", route: "/router", path: "/router?cost_weight=0.3", complete: decide },
    {
      name: "Several prompts",
      route: "/router",
      path: "/router?view=several+prompts",
      complete: decideSeveral,
    },
    {
      name: "Compare",
      route: "/router",
      path: "/router?view=compare&left=gpt-4o-mini&right=auto:0.4",
      complete: compare,
    },
    {
      name: "Past traffic",
      route: "/router",
      path: "/router?view=past+traffic&cost_weight=0.8",
      complete: text("requests would have gone"),
    },
    {
      name: "Profiles",
      route: "/profiles",
      path: "/profiles?model=gpt-5.5",
      complete: text("The mark is the mean of all models"),
    },
    { name: "Report", route: "/profiles", path: "/profiles?view=report", complete: report },
    { name: "Keys", route: "/keys", path: "/keys", complete: text("Refused, error") },
    { name: "Key", route: "/keys/:id", path: `/keys/${keys[0]}`, complete: chart },
    { name: "Providers", route: "/providers", path: "/providers", complete: openProviders },
    { name: "Not found", route: "*", path: "/nowhere", complete: text("There is no such page") },
  ];
}

async function idsOf({ address }: Gateway, path: string, list: "traces" | "data"): Promise<string[]> {
  const reply = await fetch(`${address}${path}`, { headers: { "x-api-key": ADMIN_KEY } });
  const body = (await reply.json()) as Record<
    string,
    { readonly request_id?: string; readonly id?: string }[]
  >;
  const ids = (body[list] ?? []).map(({ request_id, id }) => request_id ?? id ?? "");
  if (ids.length === 0) throw new Error(`${path} has nothing to visit`);
  return ids;
}

const row = (page: Page) => page.locator("tbody tr").first().waitFor();

const chart = (page: Page) => page.locator("canvas").first().waitFor();

/** Made while the page waits, once for each gateway. */
const report = (page: Page) =>
  page.getByRole("application", { name: /^Map of the anchors/ }).waitFor({ timeout: 120_000 });

async function routeAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Route this again" }).click();
  await page.getByText(/^(The same|Another) model (as|than) then/).waitFor();
  await page.getByText("As stored").click();
  await page.getByRole("button", { name: "Give feedback" }).click();
}

async function decide(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt" }).fill("Prove that there are infinitely many primes.");
  await page.getByRole("heading", { name: "Nearest evidence" }).waitFor();
}

async function decideSeveral(page: Page): Promise<void> {
  await page
    .getByRole("textbox", { name: "Prompts, one a line" })
    .fill("What is 2 + 2?\nProve that 17 is prime.");
  await page.getByRole("region", { name: "Chosen models by prompt" }).waitFor();
}

async function compare(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompts, one a line" }).fill("What is 2 + 2?");
  await page.getByText("Expected to cost").waitFor();
  await page.getByRole("button", { name: "Ask both: 2 requests" }).click();
  await page.getByRole("article", { name: "Answer of auto:0.4" }).getByRole("link").waitFor();
}

async function openProviders(page: Page): Promise<void> {
  await page.getByText("Not configured").waitFor();
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
}
