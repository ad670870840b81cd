/**
 * What operators come to the console for, each in at most three clicks from the overview: typing is not counted, but choosing from a
 * list is, and so is Enter in the search field. Each ends with the answer on the screen, compared with the stored traces.
 */
import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { dollars } from "../../../src/console/components/format.js";
import { headlineOf } from "../../../src/console/value/headline.js";
import type { AttentionBody } from "../../../src/gateway/features/alerts/attention-schema.js";
import type { ComparisonBody } from "../../../src/gateway/features/comparisons/schema.js";
import type { ValueBody } from "../../../src/gateway/features/replay/value-schema.js";
import type { TraceBody } from "../../../src/gateway/features/traces/schema/trace.js";
import { answerAsVendor, type Company, startCompany } from "./company.js";
import { openGateway, tracesFound } from "./gateway.js";
import { expectAccessible, expectAccessibleInBothThemes, find, openSignedIn, settled } from "./page.js";
import { consoleForTests } from "./suite.js";

const MOST_CLICKS = 3;
const DAY_MS = 86_400_000;
const TEAMS = ["search", "search", "billing", "search", "support"];

let gateway: Company;
let browser: Browser;
let page: Page;
let answerId: string;
let clicks = 0;

consoleForTests({ start: startWithTeams }, (opened) => {
  ({ gateway, browser, page } = opened);
});

/** The company, in which teams have asked. */
async function startWithTeams(): Promise<Company> {
  const started = await startCompany();
  for (const [at, team] of TEAMS.entries()) {
    const body = {
      model: "auto",
      // Whatever the profiles say of others: the account at Mistral is refused.
      router: { cost_weight: 0.3, models: ["gpt-5.4-mini", "gpt-5.4-nano"] },
      messages: [{ role: "user", content: `Where is order ${at}?` }],
      metadata: { team, user_id: `user-${at % 2}` },
    };
    answerId = String((await started.ask("/v1/chat/completions", body)).body.id);
  }
  await tracesFound(started, { query: "metadata.team=support", total: 1 });
  return started;
}

beforeEach(async () => {
  await page.goto(`${gateway.address}/console`);
  await page.getByRole("region", { name: "Needs attention" }).waitFor();
  await settled(page);
  clicks = 0;
});
async function click(target: Locator): Promise<void> {
  clicks += 1;
  await target.click();
}

async function choose(list: Locator, value: string): Promise<void> {
  clicks += 1;
  await list.selectOption(value);
}

/** As with a judge of a provider: found to be as good for less. */
const COMPARISON: Omit<ComparisonBody, "passed_over"> = {
  name: "cheaper",
  with: "auto:0.4",
  share: 0.05,
  max_usd_per_day: 2,
  graded_by: "judge",
  comparisons: 1240,
  wins: 200,
  ties: 838,
  losses: 202,
  same: 700,
  failed: 3,
  quality: { value: -0.002, low: -0.008, high: 0.004 },
  detectable_loss: 0.009,
  verdict: "as_good",
  served_usd: 10,
  other_usd: 6,
  bill_change: { value: -0.4, low: -0.45, high: -0.35 },
  spent: { today: 0.5, answers: 6, judging: 3 },
  recommendation: null,
  waiting: 0,
};

const expectFewClicks = () => expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);

/** All traces, as the gateway stored them. */
async function traces(query = ""): Promise<readonly TraceBody[]> {
  const { text } = await gateway.call(`/admin/traces/export?format=jsonl${query}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TraceBody);
}

const dollarsIn = (text: string | undefined): number => Number(text?.replace("$", ""));

const costOf = (list: readonly TraceBody[]): number =>
  list.reduce((sum, { cost_usd: usd }) => sum + (usd ?? 0), 0);

/** Not one of the copies, which no budget has counted. */
const lastHour = ({ created_at: at }: TraceBody): boolean => Date.parse(at) > Date.now() - 3_500_000;

const ofModel = (model: string) => (trace: TraceBody) => trace.model === model;
const isRun = ({ kind, status, usage }: TraceBody): boolean =>
  kind !== "router" || status !== "success" || usage !== null;

const cells = (row: Locator): Promise<readonly string[]> => row.getByRole("cell").allTextContents();

describe(`An operator, in at most ${MOST_CLICKS} clicks from the overview,`, () => {
  it("finds who burnt the budget, and lowers it", async () => {
    const name = "Research notebooks";
    const spent = costOf((await traces()).filter(lastHour).filter(({ api_key: key }) => key?.name === name));
    const line = page
      .getByRole("region", { name: "Needs attention" })
      .getByRole("listitem")
      .filter({ hasText: `Key ${name} is near its limit` });
    expect(await line.textContent()).toContain(`${dollars(spent)} of $0.24 a month`);
    await click(line.getByRole("link", { name }));
    await page.getByText(`${dollars(spent)} / $0.24 a month`).waitFor();
    await click(page.getByRole("button", { name: "Edit" }));
    await page.getByLabel("Budget, US$ a month").fill("0.1");
    await click(page.getByRole("button", { name: "Save" }));
    await page.getByText(`${dollars(spent)} / $0.10 a month`).waitFor();
    expectFewClicks();
    const body = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
    const refused = await gateway.ask("/v1/chat/completions", body, { key: gateway.keys.get(name) ?? "" });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "budget_exceeded" } } });
  });

  it("finds why a model fails, and has another answer", async () => {
    const model = "mistral-large-2411";
    const failed = (await traces())
      .filter(lastHour)
      .filter(ofModel(model))
      .filter(({ status }) => status === "error");
    expect(failed.length).toBeGreaterThan(5);
    const needs = page.getByRole("region", { name: "Needs attention" });
    const line = needs.getByRole("listitem").filter({ hasText: "High error rate: provider mistral" });
    await line.getByText(`${failed.length} of ${failed.length} requests failed in 60 minutes`).waitFor();
    await click(line.getByRole("link"));
    const cause = page.getByRole("row", { name: /credentials_refused/ });
    await cause.getByText("HTTP 401").waitFor();
    await cause.getByText("the API key is invalid or has been revoked").waitFor();
    expect((await cells(cause)).slice(1, 4)).toEqual([
      expect.stringMatching(new RegExp(`^${failed.length}\\D`)),
      "0",
      "100%",
    ]);
    await click(cause.getByRole("button", { name: `Pause… or redirect ${model}` }));
    const reason = await page.getByRole("dialog").getByLabel("Reason").inputValue();
    expect(reason).toMatch(/^credentials_refused, HTTP 401, /);
    await page.getByLabel("Model that answers instead").fill("gpt-4o-mini");
    await click(page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }));
    const paused = page.getByRole("region", { name: "Paused now" });
    await paused.getByText("→ gpt-4o-mini").waitFor();
    expectFewClicks();
    await expectAccessible(page, "Failures with a pause");
    const body = { model, messages: [{ role: "user", content: "hi" }] };
    const answered = await gateway.ask("/v1/chat/completions", body);
    expect([answered.status, answered.body.model]).toEqual([200, "gpt-4o-mini"]);
    await paused.getByRole("button", { name: `End now: the pause of ${model}` }).click();
    await paused.waitFor({ state: "hidden" });
    expect((await gateway.ask("/v1/chat/completions", body)).status).toBeGreaterThanOrEqual(400);
  });

  it("explains an answer that a customer complains about, and its cost", async () => {
    clicks += 1;
    await find(page, `Your bot was wrong, it says ${answerId}!`, /^Requests/);
    const [trace] = (await traces()).filter(({ request_id: id }) => page.url().endsWith(id));
    const { usage, routing, cost_usd: usd } = trace ?? {};
    if (usage == null || routing == null || usd == null) throw new Error("another trace is shown");
    expect(trace?.request_id).toBe(`req_${answerId.replace("chatcmpl-", "")}`);
    const bill = page.getByRole("region", { name: "Usage and cost" });
    expect((await cells(bill.getByRole("row", { name: /^Input/ })))[0]).toBe(String(usage.prompt_tokens));
    expect((await cells(bill.getByRole("row", { name: /^Output/ })))[0]).toBe(
      String(usage.completion_tokens),
    );
    const total = await cells(bill.getByRole("row", { name: /^Total/ }));
    expect(dollarsIn(total.at(-1))).toBeCloseTo(usd, 5);
    await bill.getByText(`billed ${dollars(usd)}`).waitFor();
    const why = page.getByRole("region", { name: "Why this model" });
    expect(await why.getByTestId("selected-model").textContent()).toContain(routing.selected_model);
    await why.getByText("Cost weight 0.3").waitFor();
    await page.getByRole("region", { name: "Candidates" }).getByText("chosen", { exact: true }).waitFor();
    expectFewClicks();
  });

  it("says what routing saved, whether quality is kept, and has the recommended cost weight used", async () => {
    const admin = async (path: string, body?: object): Promise<{ readonly data: readonly object[] }> =>
      (await gateway.call(path, body && { method: "PATCH", body })).json();
    await admin("/admin/settings", { auto_cost_weight: 0.9 });
    await page.route("**/admin/comparisons", (route) => route.fulfill({ json: { data: [COMPARISON] } }));
    // That of the overview is of an hour.
    const isLong = (url: URL) => Date.parse(url.searchParams.get("start_date") ?? "") < Date.now() - DAY_MS;
    const answered = page.waitForResponse(
      (reply) => /traces\/value\?/.test(reply.url()) && isLong(new URL(reply.url())),
    );
    await click(page.getByRole("link", { name: "Value" }));
    const value: ValueBody = await (await answered).json();
    const headline = headlineOf(value);
    expect(value.compared).toBeGreaterThan(10);
    expect(await page.getByTestId("saved").textContent()).toBe(headline?.figure);
    await page
      .getByText(headline?.note ?? "")
      .first()
      .waitFor();
    for (const { start } of value.weeks) await page.getByRole("row", { name: start }).first().waitFor();
    await page.getByText("auto:0.4 is as good as the answers served").waitFor();
    await page
      .getByRole("row", { name: /^auto:0\.4/ })
      .getByText("−45% to −35%")
      .waitFor();
    await expectAccessibleInBothThemes(page, "Value of a company");
    const { cost_weight: recommended } = value.recommended;
    const shown = page.getByTestId("recommended-weight");
    await shown.getByText(`Recommended cost weight: ${recommended}`).waitFor();
    await click(shown.getByRole("button", { name: "Use it" }));
    await click(page.getByRole("dialog").getByRole("button", { name: "Use it" }));
    expectFewClicks();
    await shown.getByText(`Current default of auto: ${recommended}`).waitFor();
    const [event] = (await admin("/admin/events")).data;
    expect(event).toMatchObject({
      kind: "settings.changed",
      details: { before: { auto_cost_weight: 0.9 }, after: { auto_cost_weight: recommended } },
    });
    const decide = async () => {
      const messages = [{ role: "user", content: "What is 2 + 2?" }];
      const { body } = await gateway.ask("/v1/chat/completions", { model: "auto", messages });
      return (body.routing as { cost_weight: number }).cost_weight;
    };
    expect(await decide()).toBe(recommended);
    await shown.getByRole("button", { name: "Undo" }).click();
    await shown.getByText("Current default of auto: 0.9").waitFor();
    expect(await decide()).toBe(0.9);
    await admin("/admin/settings", { auto_cost_weight: null });
    await page.getByText("Past traffic at every cost weight").click();
    const table = page.getByRole("region", { name: "Cost weights on past traffic" });
    await table.getByRole("row", { name: /recommended/ }).waitFor();
  });

  it("sees what each team spends this month, and what the month will have cost", async () => {
    await choose(page.getByLabel("Split by"), "metadata.team");
    await click(page.getByLabel("month", { exact: true }));
    const now = new Date(Date.now());
    const first = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
    await settled(page);
    const all = await traces();
    const month = all.filter(({ created_at: at }) => Date.parse(at) >= first);
    const table = page.getByRole("region", { name: "Figures by team" });
    const ofTeam = (team: string | undefined) => month.filter(({ metadata }) => metadata.team === team);
    for (const team of new Set(TEAMS)) {
      const row = table.getByRole("row", { name: new RegExp(`^${team} `) });
      const [requests, , spend] = await cells(row);
      expect([requests, spend]).toEqual([String(ofTeam(team).length), dollars(costOf(ofTeam(team)))]);
    }
    const { spend }: AttentionBody = (await gateway.call("/admin/attention")).json();
    await page
      .locator(".stat", { hasText: "Spend" })
      .getByText(`month forecast ${dollars(spend?.month_forecast_usd ?? null)}`)
      .waitFor();
    expectFewClicks();
  });

  it("asks two models the same prompts, side by side with what each costs", async () => {
    await click(page.getByRole("link", { name: "Router" }));
    await click(page.getByRole("link", { name: "Compare" }));
    await page.getByLabel("Model or preset").fill("gpt-4o-mini");
    await page.getByLabel("Compared with").fill("gpt-5.4-mini");
    await page.getByLabel("Prompts").fill("What is 2 + 2?\n\nWho wrote Faust?");
    await page.getByText(/^Expected to cost (at least )?\$/).waitFor();
    expect(await traces("&metadata.console=comparison")).toEqual([]);
    await click(page.getByRole("button", { name: "Ask both: 4 requests" }));
    await page.getByRole("article", { name: "Answer of gpt-5.4-mini" }).getByRole("link").nth(1).waitFor();
    const both = page.getByRole("region", { name: "Both over all prompts" });
    await expect.poll(async () => (await traces("&metadata.console=comparison")).length).toBe(4);
    await settled(page);
    const asked = await traces("&metadata.console=comparison");
    for (const model of ["gpt-4o-mini", "gpt-5.4-mini"]) {
      const own = asked.filter(ofModel(model));
      const [, billed, answers] = await cells(both.getByRole("row", { name: new RegExp(`^${model}`) }));
      expect([dollarsIn(billed), answers]).toEqual([expect.closeTo(costOf(own), 5), String(own.length)]);
      expect(own.length).toBe(2);
    }
    expectFewClicks();
  });

  it("makes a budget, which refuses at once and says so, and deletes it", async () => {
    await page.goto(`${gateway.address}/console/alerts?tab=budgets`);
    await click(page.getByRole("button", { name: "Add budget" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("users");
    await dialog.getByLabel("For each").fill("metadata.user_id");
    await dialog.getByLabel("US dollars").fill("0.0000001");
    await click(dialog.getByRole("button", { name: "Save" }));
    await page.getByRole("row", { name: /^users/ }).waitFor();
    const body = {
      model: "gpt-4o",
      messages: [{ role: "user", content: "hi" }],
      metadata: { user_id: "eve" },
    };
    const key = gateway.keys.get("Customer: Acme GmbH") ?? "";
    expect((await gateway.ask("/v1/chat/completions", body, { key })).status).toBe(429);
    await page.goto(`${gateway.address}/console/failures`);
    await page.getByRole("row", { name: /^budget of users Customer: Acme GmbH 1/ }).waitFor();
    await page.goto(`${gateway.address}/console/alerts?tab=budgets`);
    await page.getByRole("button", { name: "Actions for users" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No budgets").waitFor();
    expectFewClicks();
  });

  it("silences an alert, which the overview then shows as acknowledged", async () => {
    const card = page.getByRole("listitem").filter({ hasText: "High error rate: provider mistral" });
    await click(card.getByRole("button", { name: /^Actions for/ }));
    await click(page.getByRole("menuitem", { name: "Silence…" }));
    await page.getByLabel("Reason").fill("their outage");
    await click(page.getByRole("dialog").getByRole("button", { name: "Silence" }));
    await card.getByText(/acknowledged by bootstrap, ends/).waitFor();
    expectFewClicks();
  });

  it("takes figures away as CSV", async () => {
    await choose(page.getByLabel("Split by"), "provider");
    const table = page.getByRole("region", { name: "Figures by provider" });
    await table.getByRole("row", { name: /^openai/ }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      click(page.getByRole("button", { name: "CSV of Figures by provider" })),
    ]);
    const recent = (await traces()).filter(lastHour).filter(isRun);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\r\n");
    expect(lines[0]).toMatch(/^provider,requests,failed,spend,tokens_in,/);
    for (const provider of ["openai", "deepseek", "groq"]) {
      const own = recent.filter((trace) => trace.provider === provider);
      const [, requests, , spend, tokens] = lines.find((line) => line.startsWith(provider))?.split(",") ?? [];
      expect([Number(requests), Number(spend), Number(tokens)]).toEqual([
        own.length,
        expect.closeTo(costOf(own), 9),
        own.reduce((sum, { usage }) => sum + (usage?.prompt_tokens ?? 0), 0),
      ]);
    }
    expectFewClicks();
  });
});

describe("A new gateway", () => {
  const provider = (baseUrl: string) => ({ OPENAI_API_KEY: "sk-demo", OPENAI_BASE_URL: baseUrl });
  it.each([
    ["of the sandbox", () => ({ SEXTANT_SANDBOX: "true" }), "[sandbox]"],
    ["with a provider", provider, "The parcel is"],
    ["without a provider", () => ({}), undefined],
  ])(
    "%s leads from its empty console to a routed answer, and to a key in a program",
    async (_, set, text) => {
      const settings = (baseUrl: string) => ({ environment: set(baseUrl), providers: [] });
      const own = await openGateway({ answer: answerAsVendor(), settings });
      const { page, context, faults } = await openSignedIn(browser, own.address);
      try {
        const start = page.getByRole("region", { name: "Get started" });
        await click(start.getByRole("button", { name: "Send", exact: true }));
        const chosen = (await start.getByTestId("selected-model").textContent()) ?? "";
        if (text !== undefined) await start.getByText(text).waitFor();
        await expectAccessible(page, "Start");
        const isSandbox = text === "[sandbox]";
        await expect
          .poll(() => page.getByText("all answers are placeholders").count())
          .toBe(Number(isSandbox));
        await start.getByRole("button", { name: "Create key" }).click();
        await page.getByLabel("Name").fill("my app");
        await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
        const key = await page.getByTestId("new-key").textContent();
        await page.getByRole("button", { name: "Done" }).click();
        await start.getByText(`export SEXTANT_API_KEY=${key}`).waitFor();
        await start.getByText(`base_url="${own.address}/v1"`).waitFor();
        await click(start.getByRole("link", { name: "Open its trace" }));
        await page.getByRole("region", { name: "Why this model" }).getByText(chosen).first().waitFor();
        expectFewClicks();
        await page.getByRole("link", { name: "Traces", exact: true }).click();
        await page.getByRole("row", { name: chosen }).waitFor();
        await page.getByRole("link", { name: "Router" }).click();
        await page.getByRole("textbox", { name: "Prompt" }).fill("What is the capital of Australia?");
        await page.getByTestId("selected-model").waitFor();
        expect(await page.getByRole("slider").inputValue()).toBe("0.2");
        expect(await page.getByRole("alert").count()).toBe(0);
        expect(faults).toEqual([]);
      } finally {
        await context.close();
        await own.stop();
      }
    },
  );
});
