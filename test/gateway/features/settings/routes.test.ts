import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { composeConfiguration } from "../../../../src/compose/configuration.js";
import { openOperatorSettings } from "../../../../src/compose/operator-settings.js";
import { composeReloads } from "../../../../src/compose/reloads.js";
import { StorageError } from "../../../../src/foundation/errors.js";
import { EventLog } from "../../../../src/gateway/features/events/event-log.js";
import { settingsReplySchema } from "../../../../src/gateway/features/settings/schema.js";
import { SettingsSource } from "../../../../src/gateway/settings/settings-source.js";
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

/** An instance as it is composed, over profile sets that take any catalog. @param everyMs between looks at the store; default: none */
async function start({ workingDirectory = folder, everyMs = 3_600_000 } = {}) {
  const source = new SettingsSource({}, { workingDirectory });
  const warnings: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });
  const opened = await openOperatorSettings({ shared: store }, { source, everyMs, logger });
  const configuration = composeConfiguration(source.current, { source, use: async () => {}, log: logger });
  const events = new EventLog({ store, kept: 10, now: () => NOW_MS, newId: randomUUID, log: { warn() {} } });
  const sets = { profileVersion: "1", profiles: () => [] };
  const outcomes: string[] = [];
  const reloads = composeReloads(source.current.settings, {
    opened: {
      router: sets as never,
      async reloadProfiles(next) {
        await next?.use();
        return { version: "1", count: 0, notes: [] };
      },
      profileFilesVersion: () => "1",
    },
    settings: configuration,
    source,
    lengths: undefined,
    metrics: { profilesReloaded: (outcome) => void outcomes.push(outcome) },
    changes: { profiles: undefined, settings: undefined },
    log: logger,
    events,
  });
  const settings = opened.follow({ ...configuration, ...reloads });
  onTestFinished(() => {
    opened.stop();
    configuration.stop();
  });
  const { app } = startTestServer({ settings, events });
  const patch = (payload: unknown) =>
    app.inject({ method: "PATCH", url: "/admin/settings", headers: admin, payload: payload as object });
  return {
    app,
    patch,
    warnings,
    outcomes,
    notes: opened.notes,
    settings: () => configuration.current().settings,
  };
}

/** What was done, the latest first. */
const acts = async (): Promise<{ kind: string; actor: { id: string }; details: object }[]> =>
  (await get(instance.app, "/admin/events", admin)).json().data;

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

it("resets one threshold of a rule by null, and leaves the others", async () => {
  await instance.patch({ alerts: { rules: { error_rate: { share: 0.3, minutes: 5 } } } });
  const reply = await instance.patch({ alerts: { rules: { error_rate: { minutes: null } } } });
  expect(reply.statusCode).toBe(200);
  expect(instance.settings().alerts.rules.error_rate).toMatchObject({ share: 0.3, minutes: 10 });
});

it("has the address of the settings file for a webhook of its name, and the newest that another instance was given", async () => {
  const other = await start();
  const named = (name: string, more: object = {}) => ({ name, form: "json", ...more });
  await instance.patch({ alerts: { webhooks: [named("ops"), named("siem", { url: HOOK })] } });
  await other.patch({ alerts: { webhooks: [named("ops"), named("siem", { url: OTHER })] } });
  write({ alerts: { webhooks: [named("ops", { url: "https://new.example/in" })] } });
  await instance.patch({ alerts: { webhooks: [named("siem"), named("ops")] } });
  expect(instance.settings().alerts.webhooks.map(({ url }) => url)).toEqual([
    OTHER,
    "https://new.example/in",
  ]);
});

it("refuses a change of settings that somebody else has changed since they were read", async () => {
  const other = await start();
  const { version } = (await get(other.app, "/admin/settings", admin)).json();
  const first = await instance.patch({ budgets: [], version });
  expect([first.statusCode, first.json().version === version]).toEqual([200, false]);
  const refused = await other.patch({ budgets: [{ name: "all", by: "all", usd: 9 }], version });
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "version_conflict"]);
  expect((await start()).settings().budgets).toEqual([]);
  const again = await instance.patch({ auto_cost_weight: 0.5, version: first.json().version });
  expect(again.statusCode).toBe(200);
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

it("records another address of a webhook on the same host, and shows neither", async () => {
  const webhooks = [{ name: "ops", form: "slack", url: HOOK }];
  await instance.patch({ alerts: { webhooks } });
  const reply = await instance.patch({ alerts: { webhooks: [{ ...webhooks[0], url: `${HOOK}2` }] } });
  expect([reply.statusCode, reply.body.includes("SECRET")]).toEqual([200, false]);
  settingsReplySchema.parse(reply.json());
  const events = await get(instance.app, "/admin/events?kind=settings.changed", admin);
  expect(events.json().data).toMatchObject([
    { details: { changed: ["alerts.webhooks"] } },
    { details: { changed: ["alerts.webhooks"] } },
  ]);
  expect(events.body).not.toContain("SECRET");
});

it.each<[object, RegExp]>([
  [{ auto_cost_weight: 2 }, /`auto_cost_weight` is 2: it must be a number from 0 to 1/],
  [{ budgets: [{ name: "a", by: "team" }] }, /`budgets\[0\]` is an object: it needs `usd`/],
  [
    { budgets: [{ name: "a", by: "all", usd: 1, at_limit: { preset: "economy" } }] },
    /`budgets\[0\]\.at_limit\.preset` \(`budgets` set in the console\) is "economy", but `presets` has no preset/,
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
  { webhooks: [{ name: HOOK, form: "json" }] },
  { webhooks: { ops: HOOK } },
  { rules: { error_rate: { share: HOOK } } },
  HOOK,
  [HOOK],
])("repeats no address of a webhook that stands in another place: %j", async (alerts) => {
  const reply = await instance.patch({ alerts });
  expect([reply.statusCode, reply.body.includes("SECRET")]).toEqual([400, false]);
});

it("refuses a webhook whose variable would stop the next start, with the remedy", async () => {
  writeFileSync(join(folder, ".env"), `SEXTANT_OPS_URL=${OTHER}`);
  const webhooks = [{ name: "ops", form: "json", url_env: "SEXTANT_OPS_URL" }];
  const { error } = (await instance.patch({ alerts: { webhooks } })).json();
  expect(error).toMatchObject({
    code: "settings_rejected",
    message: expect.stringContaining("SEXTANT_OPS_URL is not a setting"),
  });
  write({ alerts: { webhooks } });
  expect((await instance.patch({ alerts: { webhooks } })).statusCode).toBe(200);
  expect((await start()).notes).toEqual([]);
});

it("refuses a change while the settings file cannot be used", async () => {
  writeFileSync(join(folder, "sextant.config.json"), "{oops");
  expect((await instance.patch({ auto_cost_weight: 0.5 })).json().error.code).toBe("settings_rejected");
});

const SAVING = { name: "all", by: "all", usd: 9, at_limit: { preset: "economy" } };
const WITH_PRESET = { ...IN_FILE, presets: [{ name: "economy", models: ["gpt-5-nano", "gpt-5-mini"] }] };

it("resets what the settings file conflicts with, and takes over the edit of the file as the server's", async () => {
  write(WITH_PRESET);
  expect((await instance.patch({ budgets: [SAVING] })).statusCode).toBe(200);
  write(IN_FILE);
  const refused = (await instance.patch({ budgets: [SAVING, { ...SAVING, name: "more" }] })).json().error;
  expect([refused.code, refused.message]).toEqual([
    "invalid_request",
    expect.stringContaining('`budgets[0].at_limit.preset` (`budgets` set in the console) is "economy"'),
  ]);
  expect((await instance.patch({ budgets: null })).statusCode).toBe(200);
  expect(instance.settings()).toMatchObject({ budgets: [{ name: "teams" }], presets: [] });
  const [changed, reloaded] = await acts();
  expect([changed, reloaded]).toMatchObject([
    { kind: "settings.changed", details: { changed: ["budgets"] } },
    { kind: "settings.reloaded", actor: { id: "server" }, details: { changed: ["presets"] } },
  ]);
});

it("starts with the settings of the file where those of the console conflict, says so, and follows when they do no more", async () => {
  write(WITH_PRESET);
  await instance.patch({ budgets: [SAVING], auto_cost_weight: 0.5 });
  write(IN_FILE);
  const started = await start({ everyMs: 5 });
  expect(started.settings()).toMatchObject({ budgets: [{ name: "teams" }], autoCostWeight: 0.5 });
  expect(started.notes).toEqual([
    expect.stringMatching(
      /^`budgets` is used as in the settings file, not as set in the console: .*"economy"/,
    ),
  ]);
  write(WITH_PRESET);
  await expect.poll(() => started.settings().budgets).toMatchObject([{ name: "all" }]);
});

const CONFLICTING = {
  budgets: [SAVING],
  alerts: { webhooks: [{ name: "ops", form: "json", url_env: "HOOK" }] },
};

it("resets one of two fields that conflict with the settings file, and offers to reset the other", async () => {
  write(WITH_PRESET);
  writeFileSync(join(folder, ".env"), `HOOK=${OTHER}`);
  expect((await instance.patch(CONFLICTING)).statusCode).toBe(200);
  write(IN_FILE);
  writeFileSync(join(folder, ".env"), "");
  const started = await start();
  const { sources } = (await get(started.app, "/admin/settings", admin)).json();
  expect(sources).toMatchObject({ budgets: "console", "alerts.webhooks": "console" });
  for (const one of [started, instance]) {
    const reply = await one.patch({ budgets: null, alerts: { rules: { budget: false } } });
    expect([reply.statusCode, reply.json().sources]).toMatchObject([
      200,
      { budgets: "file", "alerts.webhooks": "console" },
    ]);
    expect(one.settings().alerts).toMatchObject({ webhooks: [{ form: "slack" }], rules: { budget: false } });
  }
});

it("leaves out webhooks whose address the settings file has no more, with a note", async () => {
  const webhooks = [
    { name: "ops", form: "slack" },
    { name: "siem", form: "json", url: OTHER },
  ];
  await instance.patch({ alerts: { webhooks, rules: { budget: false } } });
  write({ auto_cost_weight: 0.7 });
  const { patch, settings, notes } = await start();
  for (const one of [settings(), (await instance.patch({ auto_cost_weight: 0.7 })) && instance.settings()])
    expect(one).toMatchObject({
      alerts: { webhooks: [{ name: "siem" }], rules: { budget: false } },
      autoCostWeight: 0.7,
    });
  expect(notes).toEqual([expect.stringMatching(/webhook "ops" .* is left out: it has no address/)]);
  expect((await patch({ alerts: { webhooks } })).statusCode).toBe(400);
});

it("takes changes with the newest version on an instance that cannot follow one of its fields", async () => {
  const workingDirectory = folderForTest();
  const other = await start({ workingDirectory, everyMs: 5 });
  write(WITH_PRESET);
  const { version } = (await instance.patch({ budgets: [SAVING], auto_cost_weight: 0.5 })).json();
  await expect.poll(() => other.settings().autoCostWeight).toBe(0.5);
  expect(other.warnings.join()).toContain("`budgets` is used as in the settings file");
  const shown = async () => (await get(other.app, "/admin/settings", admin)).json().version;
  await expect.poll(shown).toBe(version);
  expect((await other.patch({ auto_cost_weight: 0.6, version })).statusCode).toBe(200);
});

it("blames the settings file for its own values, whatever of them the console has set", async () => {
  await instance.patch({ alerts: { rules: { budget: false } } });
  write({ alerts: { webhooks: [{ name: "ops", form: "teams", url: HOOK }] } });
  const { code, message } = (await instance.patch({ auto_cost_weight: 0.5 })).json().error;
  expect(code).toBe("settings_rejected");
  expect(message).toContain(`(\`alerts\` in ${join(folder, "sextant.config.json")})`);
  expect(message).not.toContain("console");
});

it("keeps nothing of a change that cannot be taken over because of the settings file", async () => {
  write({ ...IN_FILE, baseline_model: "no-such-model" });
  expect((await instance.patch({ auto_cost_weight: 0.5 })).json().error.code).toBe("settings_rejected");
  write(IN_FILE);
  expect((await start()).settings().autoCostWeight).toBe(0.4);
});

it("uses nothing of a change that cannot be kept, and counts no profile set as refused", async () => {
  store.update = () => Promise.reject(new StorageError("a store cannot be written"));
  write({ ...IN_FILE, fallbacks: { "gpt-5-nano": ["gpt-5-mini"] } });
  expect((await instance.patch({ auto_cost_weight: 0.5 })).statusCode).toBe(503);
  expect([instance.settings().autoCostWeight, instance.outcomes]).toEqual([0.4, []]);
});

it("is followed by an instance that could not take a change over at first", async () => {
  const workingDirectory = folderForTest();
  const other = await start({ workingDirectory, everyMs: 5 });
  const path = join(workingDirectory, "sextant.config.json");
  writeFileSync(path, "{oops");
  await instance.patch({ auto_cost_weight: 0.5 });
  await expect.poll(() => other.warnings.join()).toContain("settings of operators not followed");
  writeFileSync(path, "{}");
  await expect.poll(() => other.settings().autoCostWeight).toBe(0.5);
});

it("records what else has changed in the settings file as taken over by the server", async () => {
  const file = {
    ...IN_FILE,
    alerts: { ...IN_FILE.alerts, webhooks: [] },
    fallbacks: {},
    auto_cost_weight: 0.6,
  };
  write({ ...file, presets: WITH_PRESET.presets });
  const reply = await instance.patch({ alerts: { rules: { budget: false } } });
  expect(reply.json().settings.auto_cost_weight).toBe(0.6);
  const [changed, reloaded, ...others] = await acts();
  expect([changed, reloaded, others]).toMatchObject([
    {
      kind: "settings.changed",
      actor: { id: "key_admin" },
      details: { changed: ["alerts.rules.budget"], after: { "alerts.rules.budget": false } },
    },
    {
      kind: "settings.reloaded",
      actor: { id: "server" },
      details: { changed: ["auto_cost_weight", "presets", "alerts"] },
    },
    [],
  ]);
});
