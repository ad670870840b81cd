import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, expect, it } from "vitest";
import { openOperatorSettings } from "../../../../src/compose/operator-settings.js";
import { EventLog } from "../../../../src/gateway/features/events/event-log.js";
import { settingsReplySchema } from "../../../../src/gateway/features/settings/schema.js";
import { reloadableOf, SettingsSource } from "../../../../src/gateway/settings/settings-source.js";
import { MemoryStore } from "../../../fakes/store.js";
import { folderForTest } from "../../../support/folders.js";
import { ADMIN_KEY, get, NOW_MS, startTestServer } from "../../server.js";

const admin = { "x-api-key": ADMIN_KEY };
const HOOK = "https://hooks.example/services/SECRET";
const OTHER = "https://siem.example/in";
const IN_FILE = {
  budgets: [{ name: "teams", by: "team", usd: 5 }],
  alerts: { webhooks: [{ name: "ops", form: "slack", url: HOOK }], rules: { error_rate: { minutes: 10 } } },
  auto_cost_weight: 0.4,
};

let store: MemoryStore;
let folder: string;
let instance: Awaited<ReturnType<typeof start>>;
const write = (content: unknown) =>
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify(content));

/** An instance whose configuration is the settings alone. */
async function start() {
  const source = new SettingsSource({}, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  const opened = await openOperatorSettings({ shared: store }, { source, everyMs: 3_600_000, logger });
  let settings = source.current.settings;
  const take = async () => {
    const read = source.read();
    settings = { ...settings, ...reloadableOf(read.settings) };
    source.accept(read);
    return { version: "1", count: 0, notes: [], settings: { path: "", changed: [], recovered: false } };
  };
  const parts = { current: () => ({ settings }) as never, reloadSettings: take };
  const changeable = opened.follow(parts);
  opened.stop();
  const events = new EventLog({ store, kept: 10, now: () => NOW_MS, newId: randomUUID, log: { warn() {} } });
  const { app } = startTestServer({ settings: changeable, events });
  const patch = (payload: unknown) =>
    app.inject({ method: "PATCH", url: "/admin/settings", headers: admin, payload: payload as object });
  return { app, patch, settings: () => settings };
}

beforeEach(async () => {
  store = new MemoryStore();
  folder = folderForTest();
  write(IN_FILE);
  instance = await start();
});

it("shows what is used, where it comes from, and no address", async () => {
  const reply = await get(instance.app, "/admin/settings", admin);
  const { settings, sources } = settingsReplySchema.parse(reply.json());
  expect(settings.auto_cost_weight).toBe(0.4);
  expect(settings.alerts.webhooks).toMatchObject([{ name: "ops", form: "slack", url_env: null }]);
  expect(sources).toMatchObject({
    budgets: "file",
    "alerts.rules.error_rate": "file",
    "alerts.rules.budget": "default",
  });
  expect(reply.body).not.toContain("SECRET");
});

it("lays a change over the file, member by member, for every instance that starts later, and resets it by null", async () => {
  const reply = await instance.patch({
    budgets: [{ name: "all", by: "all", usd: 9 }],
    alerts: { rules: { error_rate: { share: 0.3 }, spend_rise: false } },
  });
  expect(reply.statusCode).toBe(200);
  const { settings, sources } = settingsReplySchema.parse(reply.json());
  expect(settings.budgets).toMatchObject([{ name: "all", usd: 9, period: "month" }]);
  expect(settings.alerts.rules).toMatchObject({
    error_rate: { share: 0.3, minutes: 10 },
    spend_rise: false,
    budget: {},
  });
  expect(sources).toMatchObject({ budgets: "console", "alerts.webhooks": "file", auto_cost_weight: "file" });
  expect((await start()).settings().budgets).toMatchObject([{ name: "all" }]);
  await instance.patch({ budgets: null, alerts: { rules: { spend_rise: null } } });
  const { budgets, alerts } = instance.settings();
  expect([budgets, alerts.rules.spend_rise, alerts.rules.error_rate]).toMatchObject([
    [{ name: "teams" }],
    { ratio: 2 },
    { share: 0.3 },
  ]);
});

it("keeps the address of a webhook that is sent without one", async () => {
  const webhooks = ["ops", "siem"].map((name) => ({
    name,
    form: "json",
    ...(name === "siem" && { url: OTHER }),
  }));
  expect((await instance.patch({ alerts: { webhooks } })).statusCode).toBe(200);
  expect(instance.settings().alerts.webhooks.map(({ url }) => url)).toEqual([
    HOOK,
    "https://siem.example/in",
  ]);
});

it("records each change with what was before and what is now, without addresses", async () => {
  for (const value of [0.5, 0.5]) await instance.patch({ auto_cost_weight: value });
  await instance.patch({ alerts: { webhooks: [] } });
  const events = await get(instance.app, "/admin/events?kind=settings.changed", admin);
  const [webhooks, weight, ...others] = events.json().data;
  expect([webhooks.details.changed, weight.details, others]).toEqual([
    ["alerts.webhooks"],
    { changed: ["auto_cost_weight"], before: { auto_cost_weight: 0.4 }, after: { auto_cost_weight: 0.5 } },
    [],
  ]);
  expect(events.body).not.toContain("SECRET");
});

it.each<[object, RegExp]>([
  [{ auto_cost_weight: 2 }, /`auto_cost_weight` is 2: it must be a number from 0 to 1/],
  [{ budgets: [{ name: "a", by: "team" }] }, /`budgets\[0\]` is an object: it needs `usd`/],
  [
    { budgets: [{ name: "a", by: "all", usd: 1, at_limit: { preset: "economy" } }] },
    /`budgets\[0\]\.at_limit\.preset` is "economy", but `presets` has no preset of that name/,
  ],
  [{ alerts: { webhooks: [{ name: "new", form: "json" }] } }, /it needs either `url` or `url_env`/],
  [{ alerts: { webhooks: [{ name: "new", form: "json", url_env: "NOT_SET" }] } }, /that variable is not set/],
  [{ budget: [] }, /`budget` is not known here\. Did you mean `budgets`\?/],
])("refuses %j and keeps what there was", async (payload, words) => {
  const reply = await instance.patch(payload);
  expect(reply.statusCode).toBe(400);
  expect(reply.json().error.message).toMatch(words);
  expect(instance.settings()).toMatchObject({ budgets: [{ name: "teams" }], autoCostWeight: 0.4 });
  const secret = "sk-proj-SECRET-0123456789";
  const shown = await instance.patch({
    alerts: { webhooks: [{ name: "a", form: "json", url_env: secret }] },
  });
  expect([shown.statusCode, shown.body.includes(secret)]).toEqual([400, false]);
});

it.each([
  { webhooks: HOOK },
  { webhooks: [HOOK] },
  { webhooks: [{ name: HOOK, form: "json" }] },
  { webhooks: [{ name: "a", form: HOOK }] },
])("repeats no address of a webhook that stands in another place: %j", async (alerts) => {
  const reply = await instance.patch({ alerts });
  expect([reply.statusCode, reply.body.includes("SECRET")]).toEqual([400, false]);
});

it("refuses a change while the settings file cannot be used", async () => {
  writeFileSync(join(folder, "sextant.config.json"), "{oops");
  expect((await instance.patch({ auto_cost_weight: 0.5 })).json().error.code).toBe("settings_rejected");
});
