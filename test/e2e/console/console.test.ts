/** The console as an operator uses it: a real browser, the real gateway, traffic of all kinds. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type Gateway,
  HOSTILE_MODEL,
  HOSTILE_TAG,
  REASONING,
  SESSION,
  sendTraffic,
  startGateway,
  THOUGHTFUL,
} from "./gateway.js";
import { expectAccessible, find, goTo, hold, openConsole, settled, signIn, typeInFinder } from "./page.js";
import { consoleForTests } from "./suite.js";

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
  },
  (opened) => {
    ({ gateway, browser, page } = opened);
  },
);

async function visit(path: string, heading: string): Promise<void> {
  await page.goto(`${gateway.address}/console${path}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}

const chatWith = (key: string, more: object = {}) => {
  const body = {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 100,
    ...more,
  };
  return gateway.ask("/v1/chat/completions", body, { key });
};

const listed = async (limit: number): Promise<readonly { readonly request_id: string }[]> =>
  (await gateway.call(`/v1/traces?limit=${limit}`)).json().traces;

async function createKey(limits: object = {}) {
  const name = `app ${randomUUID()}`;
  const { body } = await gateway.ask("/admin/keys", { name, scopes: ["inference"], limits });
  return { name, id: String(body.id), key: String(body.key) };
}

it("Signing in accepts an admin key, explains other keys, and lasts until signing out", async () => {
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

it("A page that is opened again asks for the session and its data, but for no script, style or picture", async () => {
  for (let time = 1; time <= 2; time++) {
    await visit("/failures", "Failures");
    await page.getByText("HTTP 500").first().waitFor();
    await settled(page);
  }
  const sent =
    "performance.getEntriesByType('resource').filter((entry) => entry.transferSize > 0).map((entry) => new URL(entry.name).pathname).sort()";
  const pages = [
    "/admin/attention",
    "/admin/pauses",
    "/admin/refusals",
    "/admin/traces/causes",
    "/console/session",
  ];
  expect(await page.evaluate(sent)).toEqual(pages);
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
  it("shows figures and charts, and adds new requests automatically", async () => {
    const { name } = await createKey();
    await visit("/", "Overview");
    const requests = page
      .locator(".stat", { has: page.getByText("Requests", { exact: true }) })
      .locator(".stat-value");
    await requests.waitFor();
    const before = Number((await requests.textContent())?.replace(",", ""));
    expect(before).toBeGreaterThan(30);
    await expect.poll(() => page.locator("canvas").count()).toBe(2);
    await page.getByRole("link", { name: "Latency" }).click();
    await page.getByRole("img", { name: /^Latency of answers over time: p50/ }).waitFor();
    const split = page.getByRole("region", { name: "Figures by" });
    await split.getByRole("row", { name: /^gpt-4o-mini/ }).waitFor();
    await gateway.ask("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "more" }],
    });
    await expect.poll(async () => Number(await requests.textContent())).toBe(before + 1);
    await page.getByText(/^Audit log: \d+ changes? in the last day/).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: `${name} created by` })
      .waitFor();
    await page.getByLabel("Split by").selectOption("source");
    await split.getByRole("row", { name: /^billing/ }).waitFor();
    expect(page.url()).toContain("by=source");
  });

  it("zooms into a part of the time by dragging in a chart, and back", async () => {
    await visit("/?range=1h", "Overview");
    const chart = page.locator(".chart .u-over").first();
    await chart.waitFor();
    await settled(page);
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart is not in view");
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, y, { steps: 4 });
    await page.mouse.move(box.x + box.width - 1, y, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Back to the last 1h" }).waitFor();
    await page.goBack();
    await page.getByText("Drag in a chart to zoom, or choose times").waitFor();
    await page.goForward();
    await page.getByRole("button", { name: "Back to the last 1h" }).waitFor();
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
    await page.locator("dl").getByRole("link", { name: "Errors" }).click();
    await page.waitForURL(/\/failures\?from=/);
    await page.getByText("HTTP 500").first().waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Back to the last 1h" }).click();
    await page.getByText("Drag in a chart to zoom, or choose times").waitFor();
    expect(page.url()).not.toContain("from=");
    await page.getByText("Drag in a chart to zoom, or choose times").click();
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("button", { name: "Zoom out" }).waitFor();
  });

  it("creates a key, and revokes it after use, so that it gets 401", async () => {
    await visit("/keys", "Keys");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("<b>bot</b>");
    await dialog.getByRole("combobox", { name: /^Source/ }).fill("bot");
    await dialog.getByLabel("Requests a minute").fill("100");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await page.getByTestId("new-key").textContent()) ?? "";
    expect(key).toMatch(/^pk_live_\w{40}$/);
    // The only view of the secret closes by its button alone, whatever has the focus.
    await page.evaluate("document.activeElement.blur()");
    for (const pressed of ["Escape", "Escape", "Escape", "Control+k"]) {
      await page.keyboard.press(pressed);
      await page.getByTestId("new-key").waitFor();
    }
    await settled(page);
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole("row", { name: /<b>bot<\/b>/ });
    await row.getByText("0 / 100 requests/min").waitFor();
    expect((await chatWith(key)).status).toBe(200);
    await row.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke permanently" }).click();
    await row.getByText("revoked").waitFor();
    expect(await chatWith(key)).toMatchObject({ status: 401, body: { error: { code: "key_revoked" } } });
  });

  it("finds a trace by its metadata, and shows its timings", async () => {
    await visit("/traces", "Traces");
    const choose = (label: string) => page.getByLabel("Filter", { exact: true }).selectOption({ label });
    await choose("Metadata");
    await page.locator('[name="value"]').fill("case=needle");
    await page.getByRole("button", { name: "Search" }).click();
    for (const [label, value] of [
      ["Kind", "router"],
      ["Execution", "executed"],
    ] as const) {
      await choose(label);
      await page.locator('[name="value"]').selectOption(value);
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("button", { name: `Remove the filter ${label}: ${value}` }).waitFor();
    }
    await page.getByText("1–6 of 6").waitFor();
    expect(new URL(page.url()).searchParams.get("metadata.case")).toBe("needle");
    await page.getByRole("button", { name: "Remove the filter Execution: executed" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has("executed")).toBe(false);
    await page.reload();
    await page.getByText("1–6 of 6").waitFor();
    await page.getByRole("button", { name: "Remove the filter case = needle" }).waitFor();
    await page.getByRole("link", { name: "details" }).first().click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    await page.getByText("Routing", { exact: true }).waitFor();
    await page.getByText("What is 2 + 2?", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Route this again" }).click();
    const again = page.getByRole("region", { name: "Route this again" });
    const slider = again.getByRole("slider");
    expect(await slider.inputValue()).toBe("0.4");
    await again.getByText("Same model.").waitFor();
    const chosen = again.getByTestId("selected-model");
    const before = await chosen.textContent();
    await slider.fill("1");
    await expect.poll(() => chosen.textContent()).not.toBe(before);
    await again.getByText(/^Different model: expected quality −/).waitFor();
    expect(new URL(page.url()).searchParams.get("cost_weight")).toBe("1");
  });

  it("orders, narrows and exports the traces, all of it in the address", async () => {
    await visit("/traces", "Traces");
    const table = page.getByRole("region", { name: "Traces" });
    await table.getByRole("button", { name: "Latency" }).click();
    await table.getByRole("columnheader", { name: "Latency" }).waitFor();
    expect(new URL(page.url()).searchParams.get("sort")).toBe("latency_ms");
    const latencies = async () => {
      const heads = await table.locator("thead th").allTextContents();
      const at = heads.findIndex((head) => head.startsWith("Latency")) + 1;
      const texts = await table.locator(`tbody tr > :nth-child(${at})`).allTextContents();
      return texts.map(
        (text) => Number.parseFloat(text.replace(",", "")) * (text.endsWith(" ms") ? 1 : 1000),
      );
    };
    const isSorted = (sign: number) => (found: readonly number[]) =>
      found.length > 30 &&
      found.every((value, at) => at === 0 || sign * (found[at - 1] ?? 0) >= sign * value);
    await expect.poll(latencies).toSatisfy(isSorted(1));
    await table.getByRole("button", { name: "Latency" }).click();
    await expect.poll(latencies).toSatisfy(isSorted(-1));
    expect(new URL(page.url()).searchParams.get("order")).toBe("asc");
    await page.getByLabel("15m", { exact: true }).check();
    expect(new URL(page.url()).searchParams.get("range")).toBe("15m");
    await page.reload();
    expect(await table.locator("th[aria-sort=ascending]").textContent()).toContain("Latency");
    expect(await page.getByLabel("15m", { exact: true }).isChecked()).toBe(true);

    await page.getByLabel("Filter", { exact: true }).selectOption({ label: "Source" });
    await page.locator('[name="value"]').focus();
    await page.locator('#seen-sources option[value="billing"]').waitFor({ state: "attached" });
    await page.locator('#seen-metadata option[value="case=needle"]').waitFor({ state: "attached" });
    await page.locator('[name="value"]').fill("billing");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–12 of 12").waitFor();
    for (const [button, name, first] of [
      ["JSONL", "traces.jsonl", '"source":"billing"'],
      ["CSV", "traces.csv", "request_id,created_at,kind,status,source"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page
          .getByRole("button", { name: "Export" })
          .click()
          .then(() => page.getByRole("menuitem", { name: button }).click()),
      ]);
      expect(download.suggestedFilename()).toBe(name);
      const text = readFileSync(await download.path(), "utf8");
      expect(text.split("\n", 1)[0]).toContain(first);
      expect(text.match(/claude-3-5-haiku-20241022/g)?.length).toBeGreaterThanOrEqual(12);
      expect(text).not.toContain("gpt-4o-mini");
    }
  });

  it("goes through the traces beside the list, with the columns that were chosen", async () => {
    await visit("/traces?metadata.case=needle", "Traces");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "case" }).check();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("columnheader", { name: "case" }).waitFor();
    const panel = page.getByRole("complementary", { name: "Trace" });
    const href = async () => await panel.getByRole("link", { name: "Open trace" }).getAttribute("href");
    await page.getByRole("button", { expanded: false, name: "What is 2 + 2?" }).first().click();
    await panel.getByText(/^Asked for /).waitFor();
    await expectAccessible(page, "a trace beside the list");
    const first = await href();
    await page.keyboard.press("j");
    await expect.poll(href).not.toBe(first);
    await page.keyboard.press("ArrowUp");
    await expect.poll(href).toBe(first);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    await page.keyboard.press("j");
    await panel.waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Trace", exact: true }).waitFor();
  });

  it("keeps the trace beside the list while a dialog is open over it", async () => {
    await visit("/traces", "Traces");
    await settled(page);
    await page.keyboard.press("j");
    await page.getByRole("complementary", { name: "Trace" }).waitFor();
    const { search } = new URL(page.url());
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Find" });
    await dialog.getByRole("heading").click();
    await page.keyboard.press("j");
    expect(new URL(page.url()).search).toBe(search);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe(search);
  });

  it.each([
    [
      "key",
      "/admin/keys",
      async () => {
        const [one, other] = [await createKey(), await createKey()];
        return [`/keys/${one.id}`, `/keys/${other.id}`, one.name];
      },
    ],
    [
      "trace",
      "/admin/traces/req_",
      async () => {
        const [one, other] = (await listed(2)).map(({ request_id: id }) => `/traces/${id}`);
        return [one, other, "Timeline"];
      },
    ],
  ] as const)("sees nothing of the last %s under the id of the next one", async (_, address, find) => {
    const [one = "", other = "", shown = ""] = await find();
    await visit("/keys", "Keys");
    await goTo(page, one);
    await page.getByRole("heading", { name: shown }).waitFor();
    const answer = await hold(page, `**${address}*`, (route) => route.continue());
    await page.evaluate(`history.pushState(null, "", "/console${other}")`);
    await page.getByText(other.split("/").at(-1) ?? "").waitFor();
    expect(await page.getByRole("heading", { name: shown }).count()).toBe(0);
    answer();
    await settled(page);
  });

  it("sees a new pause at once, and its dialog goes with the page", async () => {
    const other = await openConsole(browser, gateway.address);
    // Without what is asked again every minute.
    await other.page.addInitScript("setInterval = () => 0");
    await other.page.goto(`${gateway.address}/console/keys`);
    await signIn(other.page);
    await goTo(other.page, "/");
    const dialog = other.page.getByRole("dialog", { name: "Pause model gpt-4o-mini" });
    const ask = async () => {
      await other.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await find(other.page, "Pause model gpt-4o-mini");
      await dialog.waitFor();
    };
    await ask();
    await other.page.goBack();
    await other.page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    expect(await dialog.count()).toBe(0);
    await other.page.goForward();
    await ask();
    await dialog.getByLabel("Reason").fill("a trial");
    await dialog.getByRole("button", { name: "Pause", exact: true }).click();
    const paused = other.page.getByRole("region", { name: "Paused now" });
    await paused.getByText("a trial").waitFor();
    await paused.getByRole("button", { name: "End now" }).click();
    await paused.waitFor({ state: "hidden" });
    await other.context.close();
  });

  it("reads why profiles were not loaded again from the search", async () => {
    await visit("/keys", "Keys");
    await page.route("**/admin/reload", (route) => route.fulfill({ body: "" }));
    await find(page, "Reload profiles");
    await page.getByRole("dialog", { name: "Reload profiles" }).getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
  });

  it("keeps the secret of a new key in view, whatever answer comes late and whatever address is shown", async () => {
    await visit("/keys", "Keys");
    await page.getByRole("link", { name: "Providers", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
    const held = (address: string) => hold(page, `**${address}`, (route) => route.fulfill({ json: {} }));
    const answers = [await held("/admin/reload"), await held("/admin/pauses")];
    await find(page, "Reload profiles");
    await page.getByRole("dialog", { name: "Reload profiles" }).getByText("Reloading…").waitFor();
    await page.keyboard.press("Escape");
    await find(page, "Pause model gpt-4o-mini");
    const pause = page.getByRole("dialog", { name: "Pause model gpt-4o-mini" });
    await pause.getByLabel("Reason").fill("a trial");
    await pause.getByRole("button", { name: "Pause", exact: true }).click();
    await pause.getByRole("button", { name: "Cancel" }).click();
    await find(page, "Create key");
    await page.getByRole("dialog").getByLabel("Name").fill("kept");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const secret = page.getByTestId("new-key");
    await secret.waitFor();
    for (const answer of answers) answer();
    await settled(page);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await settled(page);
    expect(await secret.count()).toBe(1);
    await page.getByRole("button", { name: "Done" }).click();
    await secret.waitFor({ state: "hidden" });
    await page.unrouteAll();
  });

  it("gives feedback for a trace, and replaces it", async () => {
    await visit("/traces?metadata.kind=hostile", "Traces");
    await page.getByRole("link", { name: "details" }).first().click();
    const feedback = page.getByRole("region", { name: "Feedback" });
    await feedback.getByText("No feedback yet.").waitFor();
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
  });

  it("changes the chosen model as the operator moves the cost weight slider", async () => {
    await visit("/router", "Router");
    await page
      .getByRole("textbox", { name: "Prompt" })
      .fill("Prove that the square root of two is irrational.");
    const chosen = page.getByTestId("selected-model");
    await chosen.waitFor();
    const best = await chosen.textContent();
    const slider = page.getByRole("slider", { name: "Cost weight" });
    expect(await slider.inputValue(), "that of `auto`").toBe("0.2");
    await slider.focus();
    await page.keyboard.press("End");
    await expect.poll(() => chosen.textContent()).not.toBe(best);
    expect(page.url()).toContain("cost_weight=1");
    await settled(page);
    const cheapest = page.getByRole("table", { name: "Chosen model by cost weight" }).getByRole("row").last();
    expect(await cheapest.textContent()).toContain(await chosen.textContent());
    await page.getByRole("img", { name: /On the frontier/ }).waitFor();
    await page.getByRole("heading", { name: "Closest graded prompts" }).waitFor();
    const candidates = page.getByRole("region", { name: "Candidates" });
    await candidates.getByText("chosen").waitFor();
    await candidates
      .getByText(/^(measured|estimated|both)$/)
      .first()
      .waitFor();
    await candidates.getByText(/^± /).first().waitFor();
  });

  it("decides several prompts in a table over the cost weights", async () => {
    await visit("/router?view=several+prompts", "Router");
    const table = page.getByRole("region", { name: "Chosen models by prompt" });
    await page
      .getByLabel("Prompts")
      .fill("What is 2 + 2?\n\n<b>Prove</b> that\n17 is prime.\n\nWhat is 2 + 2?");
    await expect.poll(() => table.getByRole("row").count()).toBe(3);
    const row = table.getByRole("row", { name: /<b>Prove<\/b>/ });
    await expect.poll(() => row.getByRole("cell").count()).toBe(6);
    await settled(page);
    const [best, cheapest] = [row.getByRole("cell").first(), row.getByRole("cell").last()];
    expect(await best.textContent()).not.toBe(await cheapest.textContent());
    expect(decodeURIComponent(page.url())).not.toContain("Prove");
    await page.getByLabel("Include models that no configured provider serves").check();
    expect(page.url()).toContain("models=all");
  });

  it("finds a model's profile by a part of its name", async () => {
    await visit("/profiles", "Profiles");
    await page.getByLabel("Part of a model's name").fill("PT-4o-mini");
    await page
      .getByRole("link", { name: /^gpt-4o-mini/ })
      .first()
      .click();
    await page.getByRole("columnheader", { name: "All models" }).waitFor();
    await page.getByRole("heading", { name: "Published scores" }).waitFor();
    expect(page.url()).toMatch(/q=PT-4o-mini&model=gpt-4o-mini|model=gpt-4o-mini&q=PT-4o-mini/);
  });

  it("shows enabled providers, open circuit breakers, and what would enable other providers", async () => {
    await visit("/providers", "Providers");
    const broken = page.getByRole("row", { name: /^broken/i });
    await broken.getByText("failing").waitFor();
    await broken.getByRole("link").click();
    const models = page.getByRole("region", { name: "Models of broken" });
    await models
      .getByRole("row", { name: /failing-model/ })
      .getByText("healthy")
      .waitFor();
    expect(page.url()).toContain("provider=broken");
    await expect.poll(() => page.locator("canvas").count()).toBe(3);
    await page.getByText("Add a provider").click();
    await page.getByText("OPENAI_API_KEY", { exact: true }).waitFor();
  });

  it("tests connections, and shows how long the provider took, what it cost, or what it said", async () => {
    await visit("/providers", "Providers");
    const test = async (provider: string) => {
      await page.getByRole("button", { name: `Actions for ${provider}` }).click();
      await page.getByRole("menuitem", { name: "Test connection" }).click();
    };
    await test("sandbox");
    await page
      .getByRole("status")
      .getByText(/ answered after .* for \$0\./)
      .waitFor();
    await test("broken");
    const said = page.getByRole("alert");
    await said.getByText("failed with server_error (500)").waitFor();
    expect(await said.textContent()).toContain("<script>window.hostile=1</script>");
  });

  it("shows hostile prompts, tags, model names and errors as text", async () => {
    await visit(`/traces?${new URLSearchParams({ model_id: HOSTILE_MODEL })}`, "Traces");
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
  });

  it("shows the start of a one-megabyte prompt, and all of it on demand", async () => {
    await visit("/traces?metadata.kind=huge", "Traces");
    await page.getByRole("link", { name: "details" }).first().click();
    await page.getByText("1,048,576 characters").first().waitFor();
    const text = page.locator("pre.long-text").first();
    expect((await text.textContent())?.length).toBeLessThan(200_000);
    await page.getByRole("button", { name: "Show all 1,048,576 characters" }).click();
    await expect.poll(async () => (await text.textContent())?.length ?? 0).toBeGreaterThan(1_000_000);
  });

  it("finds requests, keys and pages by one search field, with the keyboard", async () => {
    const [trace] = await listed(1);
    await visit("/traces", "Traces");
    await page.getByLabel("Prompt or answer").fill(` ${trace?.request_id}`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(page.url()).toContain(`/traces/${trace?.request_id}`);
    await visit("/providers", "Providers");
    await settled(page);
    await page.getByRole("button", { name: "Find" }).click();
    const field = page.getByRole("combobox", { name: "Text, id" });
    await field.fill("fail");
    await page.getByRole("option", { name: /^Pages Failures/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Failures" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await typeInFinder(page, SESSION.toUpperCase(), `Metadata session_id = ${SESSION}`);
    await page.keyboard.press("Escape");
    await typeInFinder(page, trace?.request_id.slice(-8) ?? "", `Requests ${trace?.request_id}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await field.fill("no such thing");
    await page.getByText("Nothing found").waitFor();
  });

  it("is usable by keyboard alone", async () => {
    await visit("/keys", "Keys");
    await page.locator("body").press("Tab");
    await page.getByRole("button", { name: "Skip to the page" }).press("Enter");
    const focused = () => page.evaluate("document.activeElement.textContent");
    const nextFocused = () => page.keyboard.press("Tab").then(focused);
    await expect.poll(nextFocused).toContain("Create key");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await expect.poll(focused).toContain("Create key");
  });

  it("switches between light and dark, and remembers the choice", async () => {
    await visit("/keys", "Keys");
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
  beforeEach(() => visit("/", "Overview"));

  it("the conversation around an answer, with its tool calls folded", async () => {
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.getByLabel("Filter", { exact: true }).selectOption({ label: "Metadata" });
    await page.locator('[name="value"]').fill(`session_id=${SESSION}`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1–2 of 2").waitFor();
    await page.getByRole("link", { name: "details" }).last().click();
    const bubbles = page.getByRole("region", { name: "Prompt and answer" }).getByRole("listitem");
    await bubbles.nth(1).getByText("Where is my order 88213?").waitFor();
    await expect.poll(() => bubbles.count()).toBe(3);
    await page.getByRole("link", { name: "as conversation" }).click();
    await page.getByRole("heading", { level: 1, name: "Conversation" }).waitFor();
    const call = page.locator("details", { hasText: 'find_order({"order":88213})' });
    expect(await call.locator("pre").first().isVisible()).toBe(false);
    await call.locator("summary").click();
    await call.getByText('{"order":88213}', { exact: true }).waitFor();
  });

  it.each([
    ["its trace", "/traces?metadata.session=s+1"],
    ["its conversation", `/conversation?${new URLSearchParams({ "metadata.session": THOUGHTFUL })}`],
  ])("what a model thought, folded above its answer, in %s", async (name, path) => {
    await page.goto(`${gateway.address}/console${path}`);
    if (path.startsWith("/traces")) {
      await page.getByRole("link", { name: "details" }).click();
      await page.getByText(/ · 12 tokens of reasoning$/).waitFor();
    }
    const answer = page.getByRole("listitem").filter({ hasText: "Assistant" }).last();
    const folded = answer.locator("details", { hasText: "Reasoning" });
    await folded.waitFor();
    expect(await answer.getByText(REASONING).isVisible()).toBe(false);
    await folded.locator("summary").click();
    await answer.getByText(REASONING).waitFor();
    const [above, below] = [folded, answer.getByText("4", { exact: true })];
    expect((await above.boundingBox())?.y).toBeLessThan((await below.boundingBox())?.y ?? 0);
    await expectAccessible(page, name);
  });
});

describe("A long table", () => {
  const KEYS = 150;

  it("draws its first hundred rows, and all when asked", async () => {
    await page.route(
      (url) => url.pathname === "/admin/keys",
      async (route) => {
        const { data, ...rest } = await (await route.fetch()).json();
        const copies = Array.from({ length: KEYS }, (_, at) => ({
          ...data[0],
          id: `key_${at}`,
          name: `key ${at}`,
        }));
        await route.fulfill({ json: { ...rest, data: copies } });
      },
    );
    await visit("/keys", "Keys");
    const table = page.getByRole("table").first();
    const rows = table.locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(100);
    await page.getByRole("button", { name: `Show all ${KEYS} rows` }).press("Enter");
    await expect.poll(() => rows.count()).toBe(KEYS);
    expect(await page.evaluate("document.activeElement.closest('tr').rowIndex")).toBe(101);
  });
});

describe("Back and forward", () => {
  const SCROLL_AND_CLICK = new Function(
    "link",
    "scrollBy(0, 200); const place = Math.round(scrollY); link.click(); return place;",
  ) as (link: unknown) => number;

  it("return to the place in the page that one has left", async () => {
    await visit("/traces", "Traces");
    await settled(page);
    const link = page.getByRole("link", { name: "details" }).nth(30);
    await link.scrollIntoViewIfNeeded();
    const placeNow = async () => Math.round(Number(await page.evaluate("scrollY")));
    // Before the browser says that the scrolling has ended.
    const place = await link.evaluate(SCROLL_AND_CLICK);
    expect(place).toBeGreaterThan(300);
    await page.getByRole("heading", { level: 1, name: "Trace", exact: true }).waitFor();
    await expect.poll(placeNow).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
    await expect.poll(placeNow).toBe(place);
    await page.reload();
    await expect.poll(placeNow).toBe(place);
  });

  it.each([
    ["/failures?range=24h&q=500&sort=failed", "7d"],
    ["/providers?range=24h", "7d"],
    ["/value?range=24h", "30d"],
  ])("undo a choice of %s, which keeps the rest of the address", async (path, choice) => {
    await goTo(page, path);
    const before = page.url();
    await page.getByRole("radio", { name: choice, exact: true }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    const kept = [...new URL(before).searchParams.keys()].filter((name) => name !== "range");
    for (const name of kept) expect(new URL(page.url()).searchParams.has(name)).toBe(true);
    await page.goBack();
    await expect.poll(() => page.url()).toBe(before);
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
