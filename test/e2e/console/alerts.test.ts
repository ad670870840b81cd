/** Budgets, rules and silences as operators change them, also while others do. */
import type { Page, Route } from "playwright-core";
import { expect, it } from "vitest";
import type { AttentionBody } from "../../../src/gateway/features/alerts/attention-schema.js";
import type { AlertsBody } from "../../../src/gateway/features/alerts/schema.js";
import type { SettingsBody } from "../../../src/gateway/features/settings/schema.js";
import { type Gateway, startGateway, tracesFound } from "./gateway.js";
import { type ConsolePage, settled } from "./page.js";
import { consoleForTests } from "./suite.js";

let gateway: Gateway;
let open: ConsolePage;
let page: Page;
consoleForTests(
  {
    async start() {
      const started = await startGateway();
      const messages = [{ role: "user", content: "Fail" }];
      for (let at = 0; at < 5; at++)
        await started.ask("/v1/chat/completions", { model: "failing-model", provider: "broken", messages });
      await tracesFound(started, { query: "model_id=failing-model", total: 5 });
      return started;
    },
  },
  (opened) => {
    ({ gateway, open, page } = opened);
  },
);

async function admin<Body>(path: string, patch?: object): Promise<Body> {
  const { status, json } = await gateway.call(`/admin/${path}`, patch && { method: "PATCH", body: patch });
  expect(status).toBe(200);
  return json();
}

const budget = (name: string, usd = 5) => ({ name, by: "team", usd, period: "month" });
const budgetsNow = async () => (await admin<SettingsBody>("settings")).settings.budgets;

async function openTab(tab: string): Promise<void> {
  await page.goto(`${gateway.address}/console/alerts?tab=${tab}`);
  await settled(page);
}

async function choose(name: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

const press = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

const unavailable = (route: Route) =>
  route.fulfill({ status: 503, json: { error: { message: "Nothing can be read." } } });

/** The browser says of each refused request that it was. */
const refusalsSeen = (): void => {
  const others = open.faults.splice(0).filter((fault) => !/status of (409|503)/.test(fault));
  open.faults.push(...others);
};

it("A budget is deleted whose use comes while the question is open", async () => {
  await admin("settings", { budgets: [budget("teams")] });
  const held: Route[] = [];
  await page.route("**/admin/budgets", (route) => void held.push(route));
  await page.goto(`${gateway.address}/console/alerts?tab=budgets`);
  await choose("teams", "Delete…");
  for (const route of held) await route.continue();
  await settled(page);
  await press("Delete");
  await page.getByText("No budgets").waitFor();
});

it("A budget is changed in its changed fields, and those that others make meanwhile stay", async () => {
  await admin("settings", { budgets: [budget("teams")] });
  await openTab("budgets");
  await choose("teams", "Edit…");
  await admin("settings", { budgets: [{ ...budget("teams"), warn_at: 0.5 }, budget("others")] });
  await page.getByLabel("US dollars").fill("7");
  await press("Save");
  await page.getByRole("row", { name: /^others/ }).waitFor();
  expect((await budgetsNow()).toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
    { name: "others", usd: 5 },
    { name: "teams", usd: 7, warn_at: 0.5 },
  ]);
});

it("The spend of budgets is a dash while it is unknown, with the reason", async () => {
  await admin("settings", { budgets: [budget("teams")] });
  await page.route("**/admin/budgets", unavailable);
  await openTab("budgets");
  await page.getByRole("alert").getByText("Nothing can be read.").waitFor();
  await page.getByRole("row", { name: "teams team $5.00 a month – – refuse" }).waitFor();
  refusalsSeen();
});

it("Budgets are reset to the settings file after a question", async () => {
  await admin("settings", { budgets: [budget("teams")] });
  await openTab("budgets");
  await page.getByRole("button", { name: "Reset to the settings file" }).click();
  expect(await budgetsNow()).toHaveLength(1);
  await press("Reset");
  await page.getByText("No budgets").waitFor();
});

it("A rule is reset after a question, in one threshold or all, and never deleted", async () => {
  await admin("settings", { alerts: { rules: { spend_rise: { ratio: 3, min_usd: 50 } } } });
  await openTab("rules");
  const row = page.getByRole("row", { name: /^Spend is above/ });
  await choose("spend_rise", "Edit…");
  await page.getByLabel("dollars today, at least").fill("");
  await press("Save");
  await row.getByText("ratio 3, min_usd 10").waitFor();
  await page.getByRole("button", { name: "Actions for spend_rise" }).click();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Turn off", "Edit…", "Reset…"]);
  await page.getByRole("menuitem", { name: "Reset…" }).click();
  await press("Reset");
  await row.getByText("ratio 2, min_usd 10").waitFor();
  await row.getByText("default").waitFor();
});

it("A rule that is off stays off when its thresholds are saved without a change", async () => {
  await admin("settings", { alerts: { rules: { spend_rise: false } } });
  await openTab("rules");
  await choose("spend_rise", "Edit…");
  await press("Save");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await admin<SettingsBody>("settings")).settings.alerts.rules.spend_rise).toBe(false);
  await admin("settings", { alerts: { rules: { spend_rise: null } } });
});

const conflict = "Somebody else has changed the settings since they were read.";

it("A rule is not turned off where others have changed the settings since they were shown, and is then", async () => {
  await admin("settings", { alerts: { rules: { spend_rise: { ratio: 3 } } } });
  await openTab("rules");
  await admin("settings", { alerts: { rules: { spend_rise: { ratio: 4 } } } });
  await choose("spend_rise", "Turn off");
  await page.getByRole("alert").getByText(conflict).waitFor();
  const row = page.getByRole("row", { name: /^Spend is above/ });
  await row.getByText("ratio 4,").waitFor();
  await choose("spend_rise", "Turn off");
  await row.getByText("off", { exact: true }).waitFor();
  await admin("settings", { alerts: { rules: { spend_rise: null } } });
  refusalsSeen();
});

it("Budgets that others have changed since they were shown are not reset before they are", async () => {
  await admin("settings", { budgets: [budget("teams")] });
  await openTab("budgets");
  await page.getByRole("button", { name: "Reset to the settings file" }).click();
  await admin("settings", { budgets: [budget("teams"), budget("others")] });
  await press("Reset");
  await page.getByRole("alert").getByText(conflict).waitFor();
  expect(await budgetsNow()).toHaveLength(2);
  await page.getByRole("row", { name: /^others/ }).waitFor();
  await press("Reset");
  await page.getByText("No budgets").waitFor();
  refusalsSeen();
});

it("A recommended weight is not taken back where others have set another since, beside other settings", async () => {
  await admin("settings", { auto_cost_weight: 0.91 });
  await page.goto(`${gateway.address}/console/router`);
  const shown = page.getByTestId("recommended-weight");
  await shown.getByRole("button", { name: "Use it" }).click();
  await press("Use it");
  const undo = shown.getByRole("button", { name: "Undo" });
  await undo.waitFor();
  await admin("settings", { budgets: [budget("teams")] });
  await undo.click();
  await shown.getByText("Current default of auto: 0.91").waitFor();
  await shown.getByRole("button", { name: "Use it" }).click();
  await press("Use it");
  await undo.waitFor();
  await admin("settings", { auto_cost_weight: 0.87 });
  await undo.click();
  await page.getByRole("alert").getByText("Somebody else has set it to 0.87 since.").waitFor();
  await shown.getByText("Current default of auto: 0.87").waitFor();
  await admin("settings", { auto_cost_weight: null, budgets: null });
});

it("A webhook is asked for its address or a variable", async () => {
  await openTab("webhooks");
  await page.getByRole("button", { name: "Add webhook" }).click();
  const address = page.getByLabel("Address", { exact: false }).first();
  await page.getByRole("dialog").getByText("An http or https URL; empty with a variable.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await address.fill("https://hooks.example/services/1");
  await press("Save");
  await page.getByRole("row", { name: /^ops slack hooks\.example/ }).waitFor();
  await choose("ops", "Edit…");
  await page.getByRole("heading", { name: "Edit webhook ops" }).waitFor();
  expect(await page.getByLabel("Name", { exact: true }).count()).toBe(0);
  await page.getByLabel("Format").selectOption("json");
  await press("Save");
  await page.getByRole("row", { name: /^ops json hooks\.example/ }).waitFor();
});

it("All silences of an alert end at once, and the fault is shown where they cannot", async () => {
  const { conditions } = await admin<AttentionBody>("attention");
  const title = conditions[0]?.title ?? "";
  for (const reason of ["known", "known to others"])
    for (const { rule, subject } of conditions)
      expect((await gateway.ask("/admin/alerts/silences", { rule, subject, reason })).status).toBe(201);
  await openTab("firing");
  const card = page.getByRole("listitem").filter({ hasText: title });
  await card.getByText(/acknowledged by/).waitFor();
  await page.route("**/admin/alerts/silences/*", unavailable);
  await choose(title, "End silence");
  await card.getByRole("alert").getByText("Nothing can be read.").waitFor();
  refusalsSeen();
  await page.unrouteAll();
  await choose(title, "End silence");
  await card.getByText(/acknowledged by/).waitFor({ state: "hidden" });
  expect((await admin<AlertsBody>("alerts")).silences).toEqual([]);
});

it("Profiles that cannot be used lead to the page of profiles", async () => {
  const now = await admin<AttentionBody>("attention");
  const refused = {
    id: "event_1",
    at: new Date(Date.now()).toISOString(),
    kind: "profiles.refused",
    target: { type: "profiles", id: "2", name: null },
    details: { reason: "No profile is readable." },
  };
  await page.route("**/admin/attention", (route) => route.fulfill({ json: { ...now, events: [refused] } }));
  await openTab("firing");
  const link = page.getByRole("link", { name: "Changed profiles cannot be used" });
  expect(await link.getAttribute("href")).toBe("/console/profiles");
});
