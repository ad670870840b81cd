/** The console as an operator uses it: a real browser, the real gateway, traffic of all kinds. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ADMIN_KEY,
  type Gateway,
  HOSTILE_MODEL,
  HOSTILE_TAG,
  SESSION,
  sendTraffic,
  startGateway,
} from "./gateway.js";
import {
  type ConsolePage,
  expectAccessible,
  expectUnharmed,
  openBrowser,
  openConsole,
  settled,
  signIn,
} from "./page.js";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
  await sendTraffic(gateway);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

describe("Signing in to the console", () => {
  it("accepts an admin key, explains other keys, and lasts until signing out", async () => {
    const { page, context } = await openConsole(browser, gateway.address);
    await signIn(page, "pk_live_nobody");
    await page.getByRole("alert").getByText("The API key is not known").waitFor();
    await signIn(page);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await page.reload();
    await page.getByLabel("API key").waitFor();
    await context.close();
  });
});

it("A page that is opened again asks for the session once, and for its data, but for no script, style or picture", async () => {
  const { page, context, faults } = await openConsole(browser, gateway.address);
  await signIn(page);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (let time = 1; time <= 2; time++) {
    await page.goto(`${gateway.address}/console/failures`);
    await page.getByText("HTTP 500").first().waitFor();
    await settled(page);
  }
  const sent =
    "performance.getEntriesByType('resource').filter((entry) => entry.transferSize > 0).map((entry) => new URL(entry.name).pathname).sort()";
  expect(await page.evaluate(sent)).toEqual(["/admin/pauses", "/admin/traces/causes", "/console/session"]);
  expect(faults).toEqual([]);
  await context.close();
});

it("The console loads at most 80 kB", async () => {
  const { page, context } = await openConsole(browser, gateway.address);
  await page.getByLabel("API key").waitFor();
  await settled(page);
  const sizes = "performance.getEntries().map((entry) => entry.encodedBodySize ?? 0)";
  const loaded = ((await page.evaluate(sizes)) as number[]).reduce((sum, size) => sum + size, 0);
  expect(loaded).toBeGreaterThan(20_000);
  expect(loaded).toBeLessThanOrEqual(80_000);
  await context.close();
});

describe("The console, for an operator,", () => {
  let open: ConsolePage;
  beforeAll(async () => {
    open = await openConsole(browser, gateway.address);
    await signIn(open.page);
    await open.page.getByRole("heading", { name: "Overview" }).waitFor();
  });
  beforeEach(() => {
    open.faults.length = 0;
  });
  afterAll(() => open?.context.close());
  const visit = async (path: string, heading: string) => {
    await open.page.goto(`${gateway.address}/console${path}`);
    await open.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };

  it("shows figures and charts, and adds new requests automatically", async () => {
    await visit("/", "Overview");
    const { page } = open;
    const requests = page
      .locator(".stat", { has: page.getByText("Requests", { exact: true }) })
      .locator(".stat-value");
    await requests.waitFor();
    const before = Number((await requests.textContent())?.replace(",", ""));
    expect(before).toBeGreaterThan(30);
    await expect.poll(() => page.locator("canvas").count()).toBe(6);
    const split = page.getByRole("region", { name: "Figures by" });
    await split.getByRole("row", { name: /^gpt-4o-mini/ }).waitFor();
    await gateway.ask("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "more" }],
    });
    await expect.poll(async () => Number(await requests.textContent())).toBe(before + 1);
    await page.getByLabel("Split by").selectOption("source");
    await split.getByRole("row", { name: /^billing/ }).waitFor();
    expect(page.url()).toContain("by=source");
    await expectUnharmed(open);
  });

  it("asks for its figures before anything else, as the store answers in turn", async () => {
    const { page } = open;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${gateway.address}/console/?range=30d`);
    await settled(page);
    const ofStore = asked.filter((path) => path.startsWith("/admin/")).slice(0, 6);
    expect(ofStore).toEqual([...Array(5).fill("/admin/traces/series"), "/admin/attention"]);
  });

  it("tells routing-only requests from others, and says what decisions were expected to save", async () => {
    await visit("/", "Overview");
    const { page } = open;
    const decide = { messages: [{ role: "user", content: "Which?" }], execute: false };
    for (let at = 0; at < 2; at++) await gateway.ask("/v1/router", decide);
    const tile = (name: string) => page.locator(".stat", { has: page.getByText(name, { exact: true }) });
    await tile("Requests").getByText("+2 routing-only").waitFor();
    await tile("Requests").getByText("no earlier data").waitFor();
    await tile("Spend")
      .getByText(/^\d+ unpriced$/)
      .waitFor();
    await tile("Savings").getByText("est. vs always best").waitFor();
    await settled(page);
    await page.getByRole("button", { name: "Savings" }).click();
    const top = () => page.evaluate("document.querySelector('#savings').getBoundingClientRect().top");
    await expect.poll(top).toBeLessThan(900);
    const savings = page.getByRole("region", { name: "Spend saved" });
    const best = savings.getByRole("row", { name: /^the best for each prompt/ });
    expect(await best.textContent()).toMatch(/\$[\d.]+/);
    const model = await page.getByLabel("Compare with always").locator("option").last().getAttribute("value");
    await page.getByLabel("Compare with always").selectOption(model);
    await savings.getByRole("row", { name: model ?? "" }).waitFor();
    expect(new URL(page.url()).searchParams.get("versus")).toBe(model);
    await expectUnharmed(open);
  });

  it("compares the share of requests that failed with that of the period before", async () => {
    const { page } = open;
    const isBefore = (url: URL) => url.pathname.endsWith("/series") && url.searchParams.has("end_date");
    const sums = {
      decisions: 0,
      timeouts: 0,
      tokens_in: 0,
      tokens_out: 0,
      cost_usd: 0,
      requests_without_cost: 0,
    };
    const times = { latency_ms: null, ttft_ms: null, streamed_latency_ms: null };
    const start = new Date().toISOString();
    const before = { start, group: null, requests: 10, errors: 2, ...sums, ...times };
    await page.route(isBefore, (route) => route.fulfill({ json: { data: [before] } }));
    await visit("/", "Overview");
    await page.locator(".stat").getByText("20% before", { exact: true }).waitFor();
    await page.unroute(isBefore);
  });

  it("zooms into a part of the time by dragging in a chart, and back", async () => {
    await visit("/?range=1h", "Overview");
    const { page } = open;
    const chart = page.locator(".chart .u-over").first();
    await chart.waitFor();
    await settled(page);
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart is not in view");
    const y = box.y + box.height / 2;
    const entries = Number(await page.evaluate("history.length"));
    await page.mouse.move(box.x + box.width * 0.8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, y, { steps: 4 });
    await page.mouse.move(box.x + box.width - 1, y, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Back to the last 1h" }).waitFor();
    expect(await page.evaluate("history.length")).toBe(entries + 1);
    const { searchParams } = new URL(page.url());
    const [from, to] = [searchParams.get("from"), searchParams.get("to")].map((text) =>
      Date.parse(text ?? ""),
    );
    const minutes = ((to ?? 0) - (from ?? 0)) / 60_000;
    expect(minutes).toBeGreaterThan(9);
    expect(minutes).toBeLessThan(15);
    await page.reload();
    await page.getByRole("button", { name: "Earlier" }).click();
    await page.getByRole("heading", { name: "No requests in this period" }).waitFor();
    await page.goBack();
    await page.getByRole("region", { name: "Figures by" }).getByRole("row").nth(1).waitFor();
    await page.getByRole("link", { name: "Errors" }).click();
    await page.getByText(/^What went wrong from \d+ \w+ [\d:]+ to /).waitFor();
    expect(page.url()).toContain("/failures?from=");
    await page.getByText("HTTP 500").first().waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Back to the last 1h" }).click();
    await page.getByText("Gateway activity in the last hour, updated live.").waitFor();
    expect(page.url()).not.toContain("from=");
    await page.getByText("Drag in a chart to zoom, or choose times").click();
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("button", { name: "Zoom out" }).waitFor();
    await expectUnharmed(open);
  });

  it("creates a key, and revokes it after use, so that it gets 401", async () => {
    await visit("/keys", "Keys");
    const { page } = open;
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("<b>bot</b>");
    await dialog.getByRole("textbox", { name: /^Source/ }).fill("bot");
    await dialog.getByLabel("Requests a minute").fill("100");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await page.getByTestId("new-key").textContent()) ?? "";
    expect(key).toMatch(/^pk_live_\w{40}$/);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole("row", { name: /<b>bot<\/b>/ });
    await row.getByText("0 / 100 requests/min").waitFor();
    const use = () =>
      gateway.ask(
        "/v1/chat/completions",
        { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
        { "x-api-key": key },
      );
    expect((await use()).status).toBe(200);
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke permanently" }).click();
    await row.getByText("revoked").waitFor();
    expect(await use()).toMatchObject({ status: 401, body: { error: { code: "key_revoked" } } });
    await expectUnharmed(open);
  });

  it("keeps the fields of a dialog apart", async () => {
    await visit("/keys", "Keys");
    const { page } = open;
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Expires").waitFor();
    const overlaps = `(() => {
      const boxes = [...document.querySelectorAll("dialog input")].map((input) => input.getBoundingClientRect());
      return boxes.filter((one, at) => boxes.some((other, to) => to > at && one.left < other.right &&
        other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length;
    })()`;
    expect(await page.evaluate(overlaps)).toBe(0);
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  it("finds a trace by its metadata, and shows its timings", async () => {
    await visit("/traces", "Traces");
    const { page } = open;
    await page.getByLabel("Metadata key 1").fill("case");
    await page.getByLabel("Metadata value 1").fill("needle");
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Kind").selectOption("router");
    await page.getByLabel("Execution").selectOption("executed");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–6 of 6").waitFor();
    expect(new URL(page.url()).searchParams.get("metadata.case")).toBe("needle");
    await page.getByRole("button", { name: "More filters (2)" }).waitFor();
    await page.getByRole("button", { name: "Remove the filter Execution: executed" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has("executed")).toBe(false);
    await page.getByRole("button", { name: "More filters (1)" }).waitFor();
    await page.reload();
    await page.getByText("1–6 of 6").waitFor();
    expect(await page.getByLabel("Metadata value 1").inputValue()).toBe("needle");
    await page.getByRole("link", { name: "details" }).first().click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await page.getByText("Routing", { exact: true }).waitFor();
    await page.getByText("What is 2 + 2?", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Route this again" }).click();
    const again = page.getByRole("region", { name: "Route this again" });
    const slider = again.getByRole("slider");
    expect(await slider.inputValue()).toBe("0.4");
    await again.getByText("The same model as then.").waitFor();
    const chosen = again.getByTestId("selected-model");
    const before = await chosen.textContent();
    await slider.fill("1");
    await expect.poll(() => chosen.textContent()).not.toBe(before);
    await again.getByText(/^A different model than then: expected quality −/).waitFor();
    expect(new URL(page.url()).searchParams.get("cost_weight")).toBe("1");
    await expectUnharmed(open);
  });

  it("orders, narrows and exports the traces, all of it in the address", async () => {
    await visit("/traces", "Traces");
    const { page } = open;
    const table = page.getByRole("region", { name: "Traces" });
    await table.getByRole("button", { name: "Latency" }).click();
    await table.getByRole("columnheader", { name: "Latency" }).waitFor();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("latency_ms");
    const latencies = async () => {
      const texts = await table.locator("tbody tr td:last-child").allTextContents();
      return texts.map(
        (text) => Number.parseFloat(text.replace(",", "")) * (text.endsWith(" ms") ? 1 : 1000),
      );
    };
    const isSorted = async (sign: number) => {
      const found = await latencies();
      return (
        found.length > 30 &&
        found.every((value, at) => at === 0 || sign * (found[at - 1] ?? 0) >= sign * value)
      );
    };
    await expect.poll(() => isSorted(1)).toBe(true);
    await table.getByRole("button", { name: "Latency" }).click();
    await expect.poll(() => isSorted(-1)).toBe(true);
    expect(new URL(page.url()).searchParams.get("order")).toBe("asc");
    await page.getByLabel("15m", { exact: true }).check();
    expect(new URL(page.url()).searchParams.get("range")).toBe("15m");
    await page.reload();
    expect(await page.getByLabel("Order").inputValue()).toBe("latency_ms asc");
    expect(await page.getByLabel("15m", { exact: true }).isChecked()).toBe(true);

    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("Source").focus();
    await page.locator('#seen-sources option[value="billing"]').waitFor({ state: "attached" });
    await page.locator('#seen-metadata_keys option[value="session_id"]').waitFor({ state: "attached" });
    await page.getByLabel("Source").fill("billing");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–12 of 12").waitFor();
    for (const [button, name, first] of [
      ["JSONL", "traces.jsonl", '"source":"billing"'],
      ["CSV", "traces.csv", "request_id,created_at,kind,status,source"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(name);
      const text = readFileSync(await download.path(), "utf8");
      expect(text.split("\n", 1)[0]).toContain(first);
      expect(text.match(/claude-3-5-haiku-20241022/g)?.length).toBeGreaterThanOrEqual(12);
      expect(text).not.toContain("gpt-4o-mini");
    }
    await expectUnharmed(open);
  });

  it("shows new traces on top as they come, until it is paused", async () => {
    const tail = await openConsole(browser, gateway.address);
    const { page } = tail;
    await page.clock.install();
    await page.goto(`${gateway.address}/console/traces?sort=cost_usd`);
    await signIn(page);
    await page.getByRole("button", { name: "Live" }).click();
    expect(new URL(page.url()).search).toBe("?live=1");
    await settled(page);
    const content = "the first that comes";
    await gateway.ask("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content }],
    });
    // Until the next answer, which has nothing new.
    await page.locator("tbody tr.arrived:first-child").getByText(content).waitFor();

    const lists: string[] = [];
    await page.getByRole("button", { name: "Pause live" }).click();
    expect(new URL(page.url()).search).toBe("");
    await settled(page);
    page.on("request", (request) => request.url().includes("/admin/traces?") && lists.push(request.url()));
    await page.clock.runFor(60_000);
    await page.getByLabel("15m", { exact: true }).check();
    await expect.poll(() => lists.length).toBeGreaterThan(0);
    expect(lists).toEqual([expect.stringContaining("start_date=")]);
    await expectUnharmed(tail);
    await tail.context.close();
  });

  it("shows times of the clock here, and UTC on demand", async () => {
    await visit("/traces?metadata.case=needle", "Traces");
    const { page } = open;
    const time = page.locator("tbody time").first();
    expect(await time.textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await time.getAttribute("title")).toContain(`(${await time.getAttribute("datetime")})`);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByLabel("From").fill("2026-01-31T12:00:00");
    await page.getByRole("button", { name: "Search" }).click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get("start_date"))
      .toBe("2026-01-31T12:00:00.000Z");
    await page.getByRole("button", { name: "Remove the filter From: 2026-01-31 12:00:00" }).waitFor();
    expect(await page.getByLabel("From").inputValue()).toMatch(/^2026-01-31T12:00/);
  });

  it("gives feedback for a trace, and replaces it", async () => {
    await visit("/traces?metadata.kind=hostile", "Traces");
    const { page } = open;
    await page.getByRole("link", { name: "details" }).first().click();
    const feedback = page.getByRole("region", { name: "Feedback" });
    await feedback.getByText("None was given.").waitFor();
    await feedback.getByRole("button", { name: "Give feedback" }).click();
    await feedback.getByLabel("Score").fill("0.25");
    await feedback.getByLabel("Comment").fill("<b>wrong</b> order");
    await feedback.getByRole("button", { name: "Save feedback" }).click();
    await feedback.getByText("0.25 of 1").waitFor();
    await feedback.getByText("<b>wrong</b> order").waitFor();
    await feedback.getByRole("button", { name: "Replace feedback" }).click();
    expect(await feedback.getByLabel("Score").inputValue()).toBe("0.25");
    await feedback.getByLabel("Score").fill("1");
    await feedback.getByRole("button", { name: "Save feedback" }).click();
    await feedback.getByText("1 of 1").waitFor();
    await expectUnharmed(open);
  });

  it("changes the chosen model as the operator moves the cost weight slider", async () => {
    await visit("/router", "Router");
    const { page } = open;
    await page
      .getByRole("textbox", { name: "Prompt" })
      .fill("Prove that the square root of two is irrational.");
    const chosen = page.getByTestId("selected-model");
    await chosen.waitFor();
    const best = await chosen.textContent();
    const slider = page.getByRole("slider", { name: "Cost weight" });
    await slider.focus();
    await page.keyboard.press("End");
    await expect.poll(() => chosen.textContent()).not.toBe(best);
    expect(page.url()).toContain("cost_weight=1");
    await settled(page);
    const cheapest = page
      .getByRole("list", { name: "Chosen model by cost weight" })
      .getByRole("button")
      .last();
    expect(await cheapest.textContent()).toContain(await chosen.textContent());
    await page.getByRole("img", { name: /On the frontier/ }).waitFor();
    await page.getByRole("heading", { name: "Nearest evidence" }).waitFor();
    const candidates = page.getByRole("region", { name: "Candidates" });
    await candidates.getByText("chosen").waitFor();
    await candidates
      .getByText(/^(measured|placed|both)$/)
      .first()
      .waitFor();
    await candidates.getByText(/^± /).first().waitFor();
    await expectUnharmed(open);
  });

  it("decides several prompts in a table over the cost weights", async () => {
    await visit("/router?view=several+prompts", "Router");
    const { page } = open;
    const table = page.getByRole("region", { name: "Chosen models by prompt" });
    await page
      .getByLabel("Prompts, one a line")
      .fill("What is 2 + 2?\n\n<b>Prove</b> that 17 is prime.\nWhat is 2 + 2?");
    await expect.poll(() => table.getByRole("row").count()).toBe(3);
    const row = table.getByRole("row", { name: /<b>Prove<\/b>/ });
    await expect.poll(() => row.getByRole("cell").count()).toBe(6);
    await settled(page);
    const [best, cheapest] = [row.getByRole("cell").first(), row.getByRole("cell").last()];
    expect(await best.textContent()).not.toBe(await cheapest.textContent());
    expect(decodeURIComponent(page.url())).not.toContain("Prove");
    await page.getByLabel("Also models that no configured provider serves").check();
    expect(page.url()).toContain("models=all");
    await expectUnharmed(open);
  });

  it("reports when there is no evidence near a prompt", async () => {
    await visit("/router", "Router");
    const { page } = open;
    const notice = page.getByText("No graded prompt is near this one: expected quality");
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill("A train leaves at 9:14 and takes 3 h 52 min. When does it arrive?");
    await page.getByTestId("selected-model").waitFor();
    expect(await notice.count()).toBe(0);
    // Which prompts are far from all profiled ones is for the profiles to say; the page has to show it.
    const explain = "**/admin/router/explain";
    await page.route(explain, async (route) => {
      const response = await route.fetch();
      const explanation = await response.json();
      explanation.routing.out_of_distribution = true;
      await route.fulfill({ response, json: explanation });
    });
    await prompt.fill("Something that nobody was ever asked");
    await notice.waitFor();
    expect(await page.getByText("no evidence near").count()).toBe(0);
    expect(await page.getByRole("columnheader", { name: "Evidence" }).count()).toBe(0);
    await page.unroute(explain);
    await expectUnharmed(open);
  });

  it("shows a model's profile", async () => {
    await visit("/profiles", "Profiles");
    const { page } = open;
    await page.getByLabel("Part of a model's name").fill("gpt-4o-mini");
    await page
      .getByRole("button", { name: /^gpt-4o-mini/ })
      .first()
      .click();
    await page.getByText(/mean of all models\.$/).waitFor();
    expect(page.url()).toContain("model=gpt-4o-mini");
    expect(page.url()).toContain("q=gpt-4o-mini");
    await page.getByRole("heading", { name: "Published scores" }).waitFor();
    await page
      .getByRole("link", { name: /github\.com|^[\w-]+\/[\w-]+@|, by / })
      .first()
      .waitFor();
    await expectUnharmed(open);
  });

  it("draws the report of the profiles in use, and shows what is expected at an anchor", async () => {
    await visit("/profiles", "Profiles");
    const { page } = open;
    await page.getByLabel("Report", { exact: true }).check();
    expect(page.url()).toContain("view=report");
    // Made while the page waits.
    const map = page.getByRole("application", { name: /^Map of the anchors/ });
    await map.waitFor({ timeout: 120_000 });
    const details = page.locator("#map-details");
    const before = await details.textContent();
    expect(before).toContain("Would answer: ");
    await map.focus();
    // Three steps may lead around.
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => details.textContent()).not.toBe(before);
    for (const title of ["Cost and quality", "Calibration", "Recommended cost weights"])
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
    await expectAccessible(page, "the report");
    await expectUnharmed(open);
  }, 180_000);

  it("shows enabled providers, open circuit breakers, and what would enable other providers", async () => {
    await visit("/providers", "Providers");
    const { page } = open;
    const broken = page.locator("details", { hasText: "broken" }).first();
    await broken.getByText("1 not called for now").waitFor();
    await broken.locator("summary").click();
    await broken
      .getByRole("row", { name: /failing-model/ })
      .getByText("healthy")
      .waitFor();
    await page.getByText("OPENAI_API_KEY", { exact: true }).waitFor();
    expect(page.url()).toContain("open=broken");
    await expect.poll(() => broken.locator("canvas").count()).toBe(3);
    await expectUnharmed(open);
  });

  it("tests connections, and shows how long the provider took, what it cost, or what it said", async () => {
    await visit("/providers?open=sandbox&open=broken", "Providers");
    const { page } = open;
    const sandbox = page.locator("details", { hasText: "sandbox" }).first();
    await sandbox.getByRole("button", { name: "Test connection" }).click();
    await sandbox
      .getByRole("status")
      .getByText(/ answered after .* for \$0\./)
      .waitFor();
    const broken = page.locator("details", { hasText: "broken" }).first();
    await broken.getByRole("button", { name: "Test connection" }).click();
    const said = broken.getByRole("alert");
    await said.getByText("failed with server_error (500)").waitFor();
    expect(await said.textContent()).toContain("<script>window.hostile=1</script>");
    await expectAccessible(page, "the providers");
    await expectUnharmed(open);
  });

  it("shows hostile prompts, tags, model names and errors as text", async () => {
    await visit(`/traces?${new URLSearchParams({ model_id: HOSTILE_MODEL })}`, "Traces");
    const { page } = open;
    await page.getByRole("row").getByText(HOSTILE_MODEL).first().waitFor();
    await page.getByRole("link", { name: "details" }).first().click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    const prompt = page.locator("pre.long-text").first();
    const shown = await prompt.textContent();
    expect(shown).toContain("<script>window.hostile=1</script><img src=x onerror=window.hostile=1>");
    for (const name of ["U+202E", "U+0000", "U+0007", "U+001B", "U+200B", "U+FEFF"])
      expect(shown).toContain(name);
    for (const unseen of ["\u202e", "\u0000", "\u0007", "\u200b"]) expect(shown).not.toContain(unseen);
    expect(shown).toContain("👩‍👩‍👧");
    await page.getByText(HOSTILE_TAG.slice(0, 30), { exact: false }).first().waitFor();
    expect(await page.locator("img[src=x], svg[onload]").count()).toBe(0);
    await visit(`/?by=model`, "Overview");
    await page
      .getByRole("region", { name: "Figures by model" })
      .getByRole("link", { name: HOSTILE_MODEL })
      .click();
    await page.getByText("1–4 of 4").waitFor();
    await expectUnharmed(open);
  });

  it("shows the start of a one-megabyte prompt, and all of it on demand", async () => {
    await visit("/traces?metadata.kind=huge", "Traces");
    const { page } = open;
    await page.getByRole("link", { name: "details" }).first().click();
    await page.getByText("1,048,576 characters").first().waitFor();
    const text = page.locator("pre.long-text").first();
    expect((await text.textContent())?.length).toBeLessThan(200_000);
    await page.getByRole("button", { name: "Show all 1,048,576 characters" }).click();
    await expect.poll(async () => (await text.textContent())?.length ?? 0).toBeGreaterThan(1_000_000);
    await expectUnharmed(open);
  });

  it("finds requests, keys and pages by one search field, with the keyboard", async () => {
    const { page } = open;
    const listed = await fetch(`${gateway.address}/v1/traces?limit=1`, {
      headers: { "x-api-key": ADMIN_KEY },
    });
    const [trace] = ((await listed.json()) as { readonly traces: { readonly request_id: string }[] }).traces;
    await visit("/traces", "Traces");
    await page.getByLabel("Prompt or answer").fill(` ${trace?.request_id}`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(page.url()).toContain(`/traces/${trace?.request_id}`);
    await visit("/providers", "Providers");
    await settled(page);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("searchbox");
    await field.fill(trace?.request_id ?? "");
    await page
      .getByRole("dialog")
      .getByRole("link", { name: `Request ${trace?.request_id}` })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(page.url()).toContain(trace?.request_id);
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Find" }).click();
    await field.fill("fail");
    await page.getByRole("dialog").getByRole("link", { name: "Page Failures" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Failures" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expectUnharmed(open);
  });

  it("is usable by keyboard alone", async () => {
    await visit("/keys", "Keys");
    const { page } = open;
    await page.locator("body").press("Tab");
    await page.getByRole("button", { name: "Skip to the page" }).press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    const isWithin = "document.querySelector('dialog').contains(document.activeElement)";
    await expect.poll(() => page.evaluate(isWithin)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Create key");
  });

  it("switches between light and dark, and remembers the choice", async () => {
    await visit("/keys", "Keys");
    const { page } = open;
    const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await background();
    await page.getByLabel("Dark").check();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await expect.poll(background).toBe(dark);
    await page.getByLabel("Auto").check();
    await expect.poll(background).toBe(light);
  });

  it("asks for the key again when the session has ended, and then returns to the same page", async () => {
    const other = await openConsole(browser, gateway.address);
    await other.page.goto(`${gateway.address}/console/keys`);
    await signIn(other.page);
    await other.page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await other.context.clearCookies();
    await other.page.getByRole("link", { name: "Providers" }).click();
    await other.page.getByText("Your session has ended. Sign in again.").waitFor();
    await signIn(other.page);
    await other.page.getByRole("heading", { name: "Providers" }).waitFor();
    await other.context.close();
  });
});

describe("An operator finds", () => {
  let open: ConsolePage;
  beforeAll(async () => {
    open = await openConsole(browser, gateway.address);
    await signIn(open.page);
    await open.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
  beforeEach(async () => {
    await open.page.goto(`${gateway.address}/console`);
    await open.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
  afterAll(() => open?.context.close());
  const createKey = async (limits: object) => {
    const name = `app ${randomUUID()}`;
    const { body } = await gateway.ask("/admin/keys", { name, scopes: ["inference"], limits });
    return { name, key: String(body.key) };
  };
  const chatWith = (key: string, model = "gpt-4o-mini") =>
    gateway.ask(
      "/v1/chat/completions",
      { model, messages: [{ role: "user", content: "hi" }], max_tokens: 100 },
      { "x-api-key": key },
    );

  it("why past traffic cannot be decided again, whichever of its parts fails", async () => {
    const { page } = open;
    const message = "The cost weights cannot be read now.";
    const json = { error: { code: "internal_error", message } };
    const costWeights = "**/v1/router/cost-weights";
    await page.route(costWeights, (route) => route.fulfill({ status: 500, json }));
    await page.goto(`${gateway.address}/console/router?view=past+traffic`);
    await page.getByText(message).waitFor();
    await page.unroute(costWeights);
    // What the browser says of the reply that failed.
    await expect.poll(() => open.faults.length).toBeGreaterThan(0);
    expect(open.faults.splice(0).every((fault) => fault.includes("500"))).toBe(true);
  });

  it("what a key spent this month, by model", async () => {
    const { page } = open;
    const { name, key } = await createKey({ requests_per_minute: 1 });
    expect((await chatWith(key)).status).toBe(200);
    expect((await chatWith(key)).status).toBe(429);
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page
      .getByRole("img", { name: /^Refused requests by limit, 24 hours over time: requests: at most 1/ })
      .waitFor();
    await page.getByLabel("month", { exact: true }).check();
    await page.getByRole("heading", { name: "Usage, this month" }).waitFor();
    const byModel = page.getByRole("region", { name: "Figures by model" });
    await byModel.getByRole("row", { name: /gpt-4o-mini/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("range")).toBe("month");
    await expectUnharmed(open);
  });

  it("what failed last with a key, and all that failed with it", async () => {
    const { page } = open;
    const { name, key } = await createKey({});
    const failing = { model: "failing-model", provider: "broken" };
    const body = { ...failing, messages: [{ role: "user", content: "Fail once" }] };
    const { status } = await gateway.ask("/v1/chat/completions", body, { "x-api-key": key });
    expect(status).toBeGreaterThanOrEqual(500);
    await page.getByRole("link", { name: "Keys" }).click();
    const row = page.getByRole("row", { name: new RegExp(name) });
    await expect
      .poll(async () => {
        await page.reload();
        return row.getByRole("cell").nth(3).textContent();
      })
      .toMatch(/^0 refusedupstream_error.*(now|ago)/);
    await row.getByRole("link", { name: new RegExp(`failures of ${name}`) }).click();
    await page.getByRole("heading", { level: 1, name: "Failures" }).waitFor();
    await page.getByText(`Requests of ${name} only.`).waitFor();
    const failures = page.getByRole("row", { name: /failing-model/ });
    await failures.getByText("HTTP 500").waitFor();
    await expect.poll(() => failures.getByRole("cell").nth(1).textContent()).toBe("1new");
    await page.getByLabel("24h").check();
    await page.getByText(`Requests of ${name} only.`).waitFor();
    await page.getByRole("link", { name: "All keys" }).click();
    await page.getByText("only.").waitFor({ state: "detached" });
    await expectUnharmed(open);
  });

  it("the conversation around an answer, with its tool calls folded", async () => {
    const { page } = open;
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.getByLabel("Metadata key 1").fill("session_id");
    await page.getByLabel("Metadata value 1").fill(SESSION);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–2 of 2").waitFor();
    await page.getByRole("link", { name: "details" }).last().click();
    const bubbles = page.getByRole("region", { name: "Prompt and answer" }).getByRole("listitem");
    await bubbles.nth(1).getByText("Where is my order 88213?").waitFor();
    await expect.poll(() => bubbles.count()).toBe(3);
    const then = page.getByRole("region", { name: "Why this model" });
    const model = (await then.getByTestId("selected-model").textContent()) ?? "";
    expect(await bubbles.nth(2).textContent()).toContain(model);
    await then.getByText("Expected quality", { exact: true }).waitFor();
    await then.getByText("Cost weight").waitFor();
    await page.getByRole("region", { name: "Candidates" }).getByText("chosen").waitFor();
    await page.getByRole("link", { name: "as conversation" }).click();
    await page.getByRole("heading", { level: 1, name: "Conversation" }).waitFor();
    await page.getByText("After 3 messages that were sent or answered before").waitFor();
    await page.getByText("Calls find_order").waitFor();
    await page.getByText('{"order":88213}').waitFor({ state: "hidden" });
    await page.getByText("Calls find_order").click();
    await page.getByText('{"order":88213}').waitFor();
    await expectUnharmed(open);
  });

  it("which keys still have an old secret that works, and ends it", async () => {
    const { page } = open;
    const { name, key } = await createKey({});
    await page.goto(`${gateway.address}/console/keys?q=${name}`);
    await page.getByRole("button", { name: `Rotate ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "In a day" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name });
    await row.getByText("old secret works").waitFor();
    expect((await chatWith(key)).status).toBe(200);
    await row.getByRole("link", { name }).click();
    await page.getByRole("button", { name: "End now" }).click();
    await page.getByText("ended", { exact: false }).first().waitFor();
    await expect
      .poll(() => chatWith(key))
      .toMatchObject({ status: 401, body: { error: { code: "key_revoked" } } });
  });
});

describe("The console of a gateway with a shadow set", () => {
  it("routes a request again by the set in use and by the shadow set", async () => {
    const other = await startGateway({
      SEXTANT_SHADOW_PROFILES: fileURLToPath(new URL("../../../profiles/default", import.meta.url)),
    });
    try {
      const { body } = await other.ask("/v1/router", {
        messages: [{ role: "user", content: "What is 2 + 2?" }],
        cost_weight: 0.4,
      });
      const path = `${other.address}/v1/traces/${body.request_id}`;
      // Recorded once the shadow set has decided, or taken too long.
      const found = async () => (await fetch(path, { headers: { "x-api-key": ADMIN_KEY } })).status;
      await expect.poll(found, { timeout: 60_000 }).toBe(200);
      const shadowed = await openConsole(browser, other.address);
      const { page } = shadowed;
      await page.goto(`${other.address}/console/traces/${body.request_id}`);
      await signIn(page);
      await page.getByText(/^The shadow set (would have chosen|decided nothing)/).waitFor();
      await page.getByRole("button", { name: "Route this again" }).click();
      const again = page.getByRole("region", { name: "Route this again" });
      const asked = page.waitForRequest((request) => request.postDataJSON()?.profiles === "shadow");
      await again.getByLabel("shadow").check();
      expect((await asked).url()).toContain(`/admin/traces/${body.request_id}/route`);
      expect(page.url()).toContain("profiles=shadow");
      // The same set twice decides the same.
      await again.getByText("The same model as then.").waitFor();
      await expectUnharmed(shadowed);
      await shadowed.context.close();
    } finally {
      await other.stop();
    }
  });
});

describe("The console of a gateway without authentication and traces", () => {
  it("asks for no key, and reports that there are no traces", async () => {
    const other = await startGateway({ SEXTANT_AUTH: "off", SEXTANT_CH_ENABLED: "false" });
    try {
      const { page, context } = await openConsole(browser, other.address);
      await page.getByRole("alert").getByText("Traces are switched off").waitFor();
      await page.getByText("Authentication is off").waitFor();
      await page.getByRole("link", { name: "Traces" }).click();
      await page.getByRole("alert").getByText("SEXTANT_CH_ENABLED=true").waitFor();
      await context.close();
    } finally {
      await other.stop();
    }
  });
});
