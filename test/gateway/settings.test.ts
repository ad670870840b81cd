import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { SettingsError, SextantError } from "../../src/foundation/errors.js";
import {
  installCommand,
  OPTIONAL_PACKAGES,
  TELEMETRY_PACKAGES,
} from "../../src/foundation/optional-package.js";
import { PACKAGE_ROOT } from "../../src/foundation/package.js";
import { isLoopback, loadSettings, settingsOf } from "../../src/gateway/settings/load-settings.js";
import { SettingsSource } from "../../src/gateway/settings/settings-source.js";
import { errorThrownBy } from "../support/errors.js";
import { folderForTest } from "../support/folders.js";
import { settingsPage, shownSettings } from "./settings/settings-page.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const load = (environment: Record<string, string | undefined> = {}) =>
  loadSettings(environment, { workingDirectory: folder });
const writeConfig = (content: unknown, name = "sextant.config.json") =>
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));

const messageOf = (work: () => unknown): string => errorThrownBy(work, SettingsError).message;
/** What is said of a settings file. */
const refusalOf = (content: object): string => {
  writeConfig(content);
  return messageOf(() => load());
};

it("Settings without a file or variables have defaults, with paths that do not depend on where the package is installed", () => {
  // docs/settings.md has the others: they are compared below.
  expect(load()).toMatchObject({
    dataDir: join(folder, "data"),
    profiles: [join(PACKAGE_ROOT, "profiles")],
    fallbacks: {},
    providerPolicies: {},
    prices: {},
  });
});

describe("The sources of settings", () => {
  it("take precedence in the order environment, .env, file, default", () => {
    writeConfig({ host: "10.0.0.1", port: 1, data_dir: "from-file", log_level: "warn" });
    writeFileSync(join(folder, ".env"), "# a comment\nSEXTANT_PORT=2\nSEXTANT_DATA_DIR='from-dotenv'\n");
    expect(load({ SEXTANT_PORT: "3" })).toMatchObject({
      port: 3,
      dataDir: join(folder, "from-dotenv"),
      host: "10.0.0.1",
      logLevel: "warn",
    });
  });

  it("may begin with the mark that Windows editors write", () => {
    writeConfig('\ufeff{"host": "10.0.0.1"}');
    writeFileSync(join(folder, ".env"), "\ufeffSEXTANT_PORT=2\r\n");
    expect(load()).toMatchObject({ port: 2, host: "10.0.0.1" });
  });

  it("treat an empty variable as absent", () => {
    writeConfig({ port: 1 });
    expect(load({ SEXTANT_PORT: "", SEXTANT_CONFIG: "" }).port).toBe(1);
  });

  it("include the file that SEXTANT_CONFIG names, also from .env, relative to the working directory", () => {
    mkdirSync(join(folder, "etc"));
    writeConfig({ port: 7 }, "etc/other.json");
    expect(load({ SEXTANT_CONFIG: "etc/other.json" }).port).toBe(7);
    writeFileSync(join(folder, ".env"), "SEXTANT_CONFIG=etc/other.json");
    expect(load().port).toBe(7);
  });

  it("split a list of profile folders at commas and make them absolute", () => {
    expect(load({ SEXTANT_PROFILES: "mine, /srv/profiles" }).profiles).toEqual([
      join(folder, "mine"),
      "/srv/profiles",
    ]);
    writeConfig({ profiles: ["a", "b"] });
    expect(load().profiles).toEqual([join(folder, "a"), join(folder, "b")]);
  });

  it("make a path to public keys absolute and keep an address", () => {
    expect(load({ SEXTANT_JWT_JWKS: "keys/jwks.json" }).jwtJwks).toBe(join(folder, "keys/jwks.json"));
    const address = "https://issuer.test/.well-known/jwks.json";
    expect(load({ SEXTANT_JWT_JWKS: address }).jwtJwks).toBe(address);
    expect(load().jwtJwks).toBeUndefined();
  });
});

describe("Errors in settings name the variable or key, the value and the remedy for", () => {
  const PORT = "a whole number from 0 to 65535";
  const PROXIES = "addresses or ranges such as 10.0.0.0/8, separated by commas";

  it.each([
    ["SEXTANT_PORT", "70000", PORT],
    ["SEXTANT_PORT", "80.5", PORT],
    ["SEXTANT_TRUSTED_PROXIES", "proxy.internal", PROXIES],
    ["SEXTANT_TRUSTED_PROXIES", "10.0.0.0/33", PROXIES],
    ["SEXTANT_LOG_LEVEL", "crit", "one of fatal, error, warn, info, debug, trace, silent"],
    ["SEXTANT_AUTH", "maybe", "`on` or `off`"],
    ["SEXTANT_MAX_BODY_BYTES", "4MB", "a whole number from 1024 to 536870888"],
  ])("%s=%s", (variable, value, must) => {
    expect(messageOf(() => load({ [variable]: value }))).toBe(
      `${variable} is "${value}": it must be ${must}. Correct it, or remove it to use the default.`,
    );
  });

  it.each([
    ["SEXTANT_JWT_SECRET", "too-short-a-secret"],
    ["SEXTANT_REDIS_URL", "http://user:too-short-a-secret@localhost"],
    ["SEXTANT_BOOTSTRAP_API_KEY", "pk_live_too-short-a-secret"],
  ])("the secret %s, which is never quoted", (variable, value) => {
    const message = messageOf(() => load({ [variable]: value }));
    expect(message).toMatch(new RegExp(`^${variable} is set to a value that cannot be used: it must be `));
    expect(message).not.toContain("too-short");
  });

  it("an invalid value in the file", () => {
    writeConfig({ port: "abc" });
    expect(messageOf(() => load())).toBe(
      `\`port\` in ${join(folder, "sextant.config.json")} is "abc": it must be a whole number from 0 to 65535. ` +
        "Correct it, or remove it to use the default.",
    );
  });

  const provider = { id: "lab", type: "openai-compatible", base_url: "http://x/v1" };
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  const comparison = { name: "a", with: "m", share: 1, max_usd_per_day: 1 };

  it.each<[content: object, words: string]>([
    [{ prot: 80 }, "sextant.config.json is not a setting. Did you mean `port`?"],
    [{ zzzzzz: 1 }, "Known keys: host, port, data_dir"],
    [{ providers: [{ ...provider, base_ulr: "x" }] }, "Did you mean `base_url`?"],
    [{ providers: [{ ...provider, base_url: "nope" }] }, "`providers[0].base_url`"],
    [
      { providers: [{ ...provider, models: [{ id: "a", price: { ...price, inputs: 1 } }] }] },
      "`providers[0].models[0].price`",
    ],
    [{ providers: [{ ...provider, auth: { type: "aws", regio: "us-east-1" } }] }, "Did you mean `region`?"],
    [{ providers: [provider, provider] }, "`providers[1].id`"],
    [{ deployments: [{ name: "a", provider: "lab", profil: "x" }] }, "Did you mean `profile`?"],
    [{ deployments: ["x", "y"].map((id) => ({ name: "a", provider: id })) }, "an earlier entry has the same"],
    [{ prices: { m: { ...price, output_usd_per_mtoc: 1 } } }, "Did you mean `output_usd_per_mtok`?"],
    [{ prices: { m: { ...price, input_usd_per_mtok: -1 } } }, "`prices.m.input_usd_per_mtok`"],
    [{ provider_policies: { lab: { data_collection: "no" } } }, "`provider_policies.lab.data_collection`"],
    [{ presets: [{ name: "a", cost_wieght: 1 }] }, "Did you mean `cost_weight`?"],
    [{ comparisons: [{ ...comparison, judge: ["j"] }] }, "Did you mean `judges`?"],
    [{ trace_redact: [{ pattern: "(a" }] }, "Unterminated group"],
    [{ trace_redact: [{ pattern: "a*" }] }, "matches an empty text"],
    [{ trace_redact: [{ pattern: "a", flags: "y" }] }, "only `i`"],
  ])("what the file has wrong: %j", (content, words) => {
    expect(refusalOf(content)).toContain(words);
  });

  const PASTED = ["sk-proj-THIS-IS-A-SECRET-0123456789", `hf_${"aBcDeF".repeat(5)}`, "a3f0".repeat(8), "a b"];
  const webhook = { name: "ops", form: "json" };

  it.each(
    PASTED.flatMap((secret): [content: object, where: string, secret: string][] => [
      [{ providers: [{ ...provider, api_key_env: secret }] }, "`providers[0].api_key_env`", secret],
      [
        { providers: [{ ...provider, keys: [{ api_key_env: secret }] }] },
        "`providers[0].keys[0].api_key_env`",
        secret,
      ],
      [{ alerts: { webhooks: [{ ...webhook, url_env: secret }] } }, "`alerts.webhooks[0].url_env`", secret],
      [{ alerts: { webhooks: [{ ...webhook, url: secret }] } }, "`alerts.webhooks[0].url`", secret],
      [
        { alerts: { webhooks: [{ ...webhook, url: "https://hooks.example", secret_env: secret }] } },
        "`alerts.webhooks[0].secret_env`",
        secret,
      ],
    ]),
  )("a secret in place of its variable's name, without repeating it: %j", (content, where, secret) => {
    const refusal = refusalOf(content);
    expect(refusal).toMatch(/ is set to a value that cannot be used: it must be /);
    expect(refusal).toContain(where);
    expect(refusal).not.toContain(secret);
    writeConfig({});
    const source = new SettingsSource({}, { workingDirectory: folder });
    writeConfig(content);
    expect(errorThrownBy(() => source.read(), SextantError).message).toContain(refusal);
  });

  it.each(["LAB_KEY_2", "_lab", "openaiApiKeyProduction2024", "hf_inference_endpoint_token", "gsk_key"])(
    "no variable by the name %s",
    (name) => {
      writeConfig({ providers: [{ ...provider, api_key_env: name }] });
      expect(load().providers[0]?.api_key_env).toBe(name);
    },
  );

  it.each([
    { providers: [{ ...provider, base_url: "sk-proj-THIS-IS-A-SECRET-0123456789" }] },
    { providers: [{ ...provider, base_url: "ftp://ada:hunter2@host" }] },
    { alerts: { webhooks: [{ ...webhook, url: "https://hooks.example/SECRET", url_env: "A" }] } },
    { alerts: { webhooks: [{ ...webhook, name: "https://hooks.example/SECRET" }] } },
    { alerts: { webhooks: "https://hooks.example/SECRET" } },
    { alerts: { webhooks: { ops: { address: "https://hooks.example/SECRET" } } } },
    { alerts: { rules: { error_rate: { share: "https://hooks.example/SECRET" } } } },
    { alerts: "https://hooks.example/SECRET" },
    { providers: [{ ...provider, keys: { headers: { authorization: "Basic SECRET" } } }] },
    { port: "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q" },
  ])("no secret that stands anywhere else: %j", (content) => {
    expect(refusalOf(content)).not.toMatch(/SECRET|hunter2|AIza/);
  });

  it("a file that is missing, not JSON, or not an object", () => {
    expect(messageOf(() => load({ SEXTANT_CONFIG: "gone.json" }))).toMatch(
      /^SEXTANT_CONFIG is "gone\.json", but .*gone\.json does not exist/,
    );
    for (const text of ["{oops", '{"port": 1, "port": 2}']) {
      writeConfig(text);
      expect(messageOf(() => load())).toMatch(/sextant\.config\.json cannot be read as JSON \(.+\)/);
    }
    writeConfig([]);
    expect(messageOf(() => load())).toMatch(/must hold one JSON object/);
  });
});

describe("Authentication", () => {
  it("can be off on loopback only", () => {
    for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1"]) {
      expect(load({ SEXTANT_AUTH: "off", SEXTANT_HOST: host }).auth).toBe("off");
    }
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "example.com"]) {
      expect(isLoopback(host)).toBe(false);
      expect(messageOf(() => load({ SEXTANT_AUTH: "off", SEXTANT_HOST: host }))).toBe(
        `SEXTANT_AUTH is "off" while SEXTANT_HOST is "${host}": requests without a key are accepted on loopback only. ` +
          "Switch authentication on, or listen on 127.0.0.1.",
      );
    }
  });
});

describe("The trace settings", () => {
  it("require an address for ClickHouse", () => {
    expect(messageOf(() => load({ SEXTANT_TRACE_STORE: "clickhouse" }))).toBe(
      'SEXTANT_TRACE_STORE is "clickhouse", but no server is named. Set SEXTANT_CLICKHOUSE_URL, or use the store duckdb.',
    );
    const url = "http://default:secret@ch:8123/sextant";
    expect(load({ SEXTANT_TRACE_STORE: "clickhouse", SEXTANT_CLICKHOUSE_URL: url })).toMatchObject({
      traceStore: "clickhouse",
      clickhouseUrl: url,
    });
  });

  it("read redaction patterns from the file", () => {
    const patterns = [{ pattern: "sk-[a-z]+", flags: "i", replacement: "[key]" }, { pattern: "\\d{16}" }];
    writeConfig({ trace_redact: patterns });
    expect(load().traceRedact).toEqual(patterns);
  });
});

describe("Budgets", () => {
  const right = { name: "teams", by: "team", usd: 5 };
  const presets = [{ name: "economy" }];

  it("have a month, UTC, and a warning at 80 % unless they say otherwise", () => {
    writeConfig({ budgets: [right], presets });
    expect(load().budgets).toEqual([{ ...right, period: "month", time_zone: "UTC", warn_at: 0.8 }]);
    const full = { period: "week", time_zone: "Asia/Kolkata", warn_at: 0.5, at_limit: { preset: "economy" } };
    writeConfig({ budgets: [{ ...right, ...full, by: "metadata.user_id", value: "ada" }], presets });
    expect(load().budgets[0]).toMatchObject(full);
  });

  it.each<[change: object, words: string]>([
    [{ by: "tenant" }, "`budgets[0].by`"],
    [{ time_zone: "Mars/Olympus" }, "such as Europe/Berlin"],
    [{ name: "a:b" }, "`budgets[0].name`"],
    [{ usd: undefined }, "it needs `usd`, `requests_per_minute` or `tokens_per_minute`"],
    [{ usd: undefined, requests_per_minute: 5, at_limit: { preset: "economy" } }, "`at_limit` needs `usd`"],
    [{ at_limit: { preset: "cheap" } }, 'is "cheap", but `presets` has no preset of that name.'],
  ])("are refused with what is wrong in them: %j", (change, words) => {
    expect(refusalOf({ budgets: [{ ...right, ...change }], presets })).toContain(words);
  });

  it("are refused when two have one name", () => {
    expect(refusalOf({ budgets: [right, right] })).toContain("a list of budgets");
  });
});

describe("Alerts", () => {
  const write = (webhook: object, rules: object = {}) =>
    writeConfig({ alerts: { webhooks: [webhook], rules } });

  it("have an address, or a variable that is set", () => {
    write({ name: "ops", form: "slack", url_env: "SEXTANT_OPS_URL" });
    expect(messageOf(() => load())).toBe(
      `\`alerts.webhooks[0].url_env\` (\`alerts\` in ${join(folder, "sextant.config.json")}) is "SEXTANT_OPS_URL", but that variable is not set. Set it, or remove the webhook.`,
    );
    expect(load({ SEXTANT_OPS_URL: "https://hooks.example" }).alerts.webhooks).toHaveLength(1);
    write({ name: "ops", form: "json", url: "https://hooks.example" }, { error_rate: false });
    expect(load().alerts.rules.error_rate).toBe(false);
  });

  it("are refused as those of the file, unless what was set in the console is at fault", () => {
    const refusalWith = (laid: object): string =>
      messageOf(() => loadSettings({}, { workingDirectory: folder, laid: { alerts: laid } }));
    const webhooks = [{ name: "ops", form: "slack", url_env: "OPS_URL" }];
    expect(refusalWith({ webhooks })).toContain("(`alerts` set in the console)");
    write({ name: "ops", form: "teams", url: "https://hooks.example" });
    expect(refusalWith({ rules: { budget: false } })).toContain(`(\`alerts\` in ${folder}`);
  });

  it.each<[change: object, words: string]>([
    [{ url: "file:///etc/passwd" }, "it must be an http or https URL"],
    [{ url: undefined }, "it needs either `url` or `url_env`"],
    [{ form: "teams" }, "it must be `slack` or `json`"],
    [{ secret: "x" }, "Known keys: name, form, url, url_env, secret_env"],
  ])("are refused with what is wrong in them: %j", (change, words) => {
    const right = { name: "ops", form: "json", url: "https://hooks.example" };
    expect(refusalOf({ alerts: { webhooks: [{ ...right, ...change }] } })).toContain(words);
  });
});

describe("Variables that start with SEXTANT_", () => {
  it("stop the start when no setting has the name, with the nearest one", () => {
    expect(messageOf(() => load({ SEXTANT_PROT: "1" }))).toBe(
      "SEXTANT_PROT is not a setting. Did you mean SEXTANT_PORT? Otherwise unset it, or give it a name without SEXTANT_.",
    );
    expect(messageOf(() => load({ SEXTANT_WHATEVER_ELSE: "1" }))).toContain("docs/settings.md");
  });

  it("are accepted where the client library or a provider's `api_key_env` reads them", () => {
    writeConfig({
      providers: [
        { id: "lab", type: "anthropic", base_url: "http://lab/v1", api_key_env: "SEXTANT_LAB_KEY" },
      ],
    });
    expect(() => load({ SEXTANT_API_KEY: "x", SEXTANT_BASE_URL: "x", SEXTANT_LAB_KEY: "x" })).not.toThrow();
  });
});

describe("docs/settings.md", () => {
  it("has tables of the schema (`npx vitest run test/gateway/settings.test.ts -u` writes them)", async () => {
    await expect(settingsPage()).toMatchFileSnapshot("../../docs/settings.md");
  });

  it("shows valid settings, and the packages that are needed", () => {
    const shown = shownSettings();
    writeConfig(Object.assign({}, ...shown));
    expect(shown).toHaveLength(2);
    expect(load().fallbacks).toEqual({ "support-bot": ["gpt-5.4-mini", "claude-haiku-4-5"] });
    expect(load().modelLimits).toHaveLength(3);
    expect(settingsPage()).toContain(
      `@huggingface/transformers@${OPTIONAL_PACKAGES["@huggingface/transformers"]}`,
    );
    const spans = readFileSync("docs/spans.md", "utf8");
    expect(spans).toContain(`\n${installCommand(...TELEMETRY_PACKAGES)}\n`);
  });
});

describe("Settings given in code", () => {
  const known = ["profiles", "dataDir"];

  it("are those of the names that are known, and the defaults of the others", () => {
    const { profiles, maxAttempts } = settingsOf({ profiles: ["a"] }, known);
    expect([profiles, maxAttempts]).toEqual([["a"], load().maxAttempts]);
  });

  it("refuse another name, and a value that cannot be used, with the remedy", () => {
    expect(messageOf(() => settingsOf({ profile: "a" }, known))).toBe(
      "`profile` in the options is not a setting. Did you mean `profiles`?",
    );
    expect(messageOf(() => settingsOf({ port: 1 }, known))).toBe(
      "`port` in the options is not a setting. Known keys: profiles, dataDir.",
    );
    expect(messageOf(() => settingsOf({ dataDir: 5 }, known))).toMatch(
      /^The option `dataDir` is 5: it must be .+\. Correct it, or remove it to use the default\.$/,
    );
  });
});
