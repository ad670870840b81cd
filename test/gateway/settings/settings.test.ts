import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { SettingsError } from "../../../src/foundation/errors.js";
import { PACKAGE_ROOT } from "../../../src/foundation/package.js";
import { isLoopback, loadSettings, settingsOf } from "../../../src/gateway/settings/load-settings.js";
import { errorThrownBy } from "../../support/errors.js";
import { folderForTest } from "../../support/folders.js";
import { EXAMPLE, LIMITS_EXAMPLE, settingsPage } from "./settings-page.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const load = (environment: Record<string, string | undefined> = {}) =>
  loadSettings(environment, { workingDirectory: folder });
const writeConfig = (content: unknown, name = "sextant.config.json") =>
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));

const messageOf = (work: () => unknown): string => errorThrownBy(work, SettingsError).message;

describe("Settings without a file or variables", () => {
  it("have defaults, with paths that do not depend on where the package is installed", () => {
    expect(load()).toEqual({
      host: "127.0.0.1",
      port: 8080,
      settingsWatchMs: 2000,
      workers: 1,
      console: true,
      consoleIdleMs: 3_600_000,
      consoleSessionMs: 43_200_000,
      consoleSignInTries: 10,
      dataDir: join(folder, "data"),
      auth: "on",
      profiles: [join(PACKAGE_ROOT, "profiles")],
      profilesWatchMs: 2000,
      listenBacklog: 4096,
      maxBodyValues: 250_000,
      maxBodyBytes: 33_554_432,
      maxDiscardedBytes: 268_435_456,
      compressMinBytes: 16_384,
      maxMessages: 2048,
      metricsKeyNames: false,
      maxQueueMs: 1000,
      maxRequestsInFlight: 4096,
      shutdownGraceMs: 10_000,
      logLevel: "info",
      autoCostWeight: 0.2,
      presets: [],
      comparisons: [],
      budgets: [],
      alerts: {
        webhooks: [],
        rules: {
          budget: {},
          budget_forecast: { ratio: 1 },
          spend_rise: { ratio: 2, min_usd: 10 },
          error_rate: { share: 0.1, minutes: 15, min_requests: 20 },
          provider_down: { share: 0.5 },
          key_near_limit: { share: 0.9 },
        },
      },
      alertIntervalMs: 60_000,
      exploreShare: 0,
      exploreMaxCostRatio: 5,
      lengthCorrection: "on",
      sticky: "on",
      stickyMetadataKey: "conversation_id",
      stickyTtlMs: 3_600_000,
      responseItemsTtlMs: 3_600_000,
      responseItemsMaxBytes: 67_108_864,
      storedResponsesTtlMs: 2_592_000_000,
      maxStoredResponses: 100_000,
      routedFileMaxBytes: 16_777_216,
      routedFileMaxPages: 20,
      routedFileMaxCharacters: 20_000,
      routedFileTimeoutMs: 2000,
      backgroundPollMs: 10_000,
      sandbox: false,
      maxAttempts: 6,
      retries: 1,
      retryMaxWaitMs: 2000,
      hostSort: "price",
      cacheBreakpoints: "on",
      servedModel: "record",
      circuitFailures: 5,
      circuitCooldownMs: 10_000,
      circuitProbes: 4,
      discoveryIntervalMs: 30_000,
      discoveryTimeoutMs: 2000,
      eventsKept: 5000,
      upstreamConnectTimeoutMs: 5000,
      upstreamHeadersTimeoutMs: 300_000,
      upstreamFirstContentTimeoutMs: 120_000,
      upstreamIdleTimeoutMs: 60_000,
      modelLimits: [],
      measuredTimeouts: true,
      upstreamTotalTimeoutMs: 600_000,
      connectionTestTimeoutMs: 15_000,
      upstreamMaxConnections: 512,
      upstreamMaxReplyBytes: 16_777_216,
      upstreamMaxStreamBytes: 134_217_728,
      upstreamMaxEmbeddingsBytes: 67_108_864,
      streamKeepAliveMs: 15_000,
      clientStallTimeoutMs: 60_000,
      jwtClockToleranceS: 5,
      chEnabled: true,
      traceStore: "duckdb",
      traceContent: true,
      traceMaxTextCharacters: 4_194_304,
      traceRedact: [],
      traceFlushMs: 100,
      traceBufferRows: 20_000,
      traceBufferBytes: 134_217_728,
      traceSpillMaxBytes: 1_073_741_824,
      traceQueryTimeoutMs: 30_000,
      traceMaxSample: 2000,
      traceMaxConversationRequests: 200,
      traceMemoryBytes: 536_870_912,
      traceCacheBytes: 16_777_216,
      providers: [],
      deployments: [],
      fallbacks: {},
      providerPolicies: {},
      prices: {},
    });
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
  const cases: readonly (readonly [string, string, string])[] = [
    ["SEXTANT_PORT", "http", 'SEXTANT_PORT is "http": it must be a whole number from 0 to 65535.'],
    ["SEXTANT_PORT", "70000", 'SEXTANT_PORT is "70000": it must be a whole number from 0 to 65535.'],
    ["SEXTANT_PORT", "80.5", 'SEXTANT_PORT is "80.5": it must be a whole number from 0 to 65535.'],
    ...["proxy.internal", "10.0.0.0/33", "10.0.0.7, loopback"].map(
      (value) =>
        [
          "SEXTANT_TRUSTED_PROXIES",
          value,
          `SEXTANT_TRUSTED_PROXIES is "${value}": it must be addresses or ranges such as 10.0.0.0/8, separated by commas.`,
        ] as const,
    ),
    [
      "SEXTANT_LOG_LEVEL",
      "crit",
      'SEXTANT_LOG_LEVEL is "crit": it must be one of fatal, error, warn, info, debug, trace, silent.',
    ],
    ["SEXTANT_AUTH", "maybe", 'SEXTANT_AUTH is "maybe": it must be `on` or `off`.'],
    [
      "SEXTANT_LOG_LEVEL",
      "loud",
      'SEXTANT_LOG_LEVEL is "loud": it must be one of fatal, error, warn, info, debug, trace, silent.',
    ],
    [
      "SEXTANT_MAX_BODY_BYTES",
      "4MB",
      'SEXTANT_MAX_BODY_BYTES is "4MB": it must be a whole number from 1024 to 536870888.',
    ],
    [
      "SEXTANT_BOOTSTRAP_API_KEY",
      "pk_live_short",
      "SEXTANT_BOOTSTRAP_API_KEY is set to a value that cannot be used: it must be `pk_live_` followed by at least 32 letters and digits.",
    ],
  ];
  it.each(cases)("%s=%s", (variable, value, message) => {
    expect(messageOf(() => load({ [variable]: value }))).toBe(
      `${message} Correct it, or remove it to use the default.`,
    );
  });

  it("an invalid value in the file", () => {
    writeConfig({ port: "abc" });
    expect(messageOf(() => load())).toBe(
      `\`port\` in ${join(folder, "sextant.config.json")} is "abc": it must be a whole number from 0 to 65535. ` +
        "Correct it, or remove it to use the default.",
    );
  });

  it("an unknown key of any length, in a few lines", () => {
    const long = "x".repeat(10_000);
    writeConfig({ [long]: 1 });
    expect(messageOf(() => load())).toContain("`xxx");
    expect(messageOf(() => load()).length).toBeLessThan(3000);
    writeConfig({ prices: { [long]: { input_usd_per_mtok: "free" } } });
    expect(messageOf(() => load()).length).toBeLessThan(3000);
    writeConfig({ providers: [{ [long]: 1 }] });
    expect(messageOf(() => load()).length).toBeLessThan(3000);
    writeConfig({});
    expect(messageOf(() => load({ [`SEXTANT_${long}`]: "1" })).length).toBeLessThan(3000);
  });

  it("an unknown key, with the nearest known one", () => {
    const path = join(folder, "sextant.config.json");
    writeConfig({ prot: 80 });
    expect(messageOf(() => load())).toBe(`\`prot\` in ${path} is not a setting. Did you mean \`port\`?`);
    writeConfig({ dataDir: "x" });
    expect(messageOf(() => load())).toContain("Did you mean `data_dir`?");
    writeConfig({ zzzzzz: 1 });
    expect(messageOf(() => load())).toContain("Known keys: host, port, workers, data_dir");
  });

  it("an unknown key inside a provider, a model, a deployment or a price", () => {
    const provider = { id: "lab", type: "openai-compatible", base_url: "http://x/v1" };
    const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
    const nested = (content: object) => {
      writeConfig(content);
      return messageOf(() => load());
    };
    expect(nested({ providers: [{ ...provider, base_ulr: "x" }] })).toContain("Did you mean `base_url`?");
    expect(nested({ providers: [{ ...provider, models: [{ id: "a", context_token: 1 }] }] })).toContain(
      "Did you mean `context_tokens`?",
    );
    expect(
      nested({ providers: [{ ...provider, models: [{ id: "a", price: { ...price, inputs: 1 } }] }] }),
    ).toContain("`providers[0].models[0].price`");
    expect(nested({ providers: [{ ...provider, auth: { type: "aws", regio: "us-east-1" } }] })).toContain(
      "Did you mean `region`?",
    );
    expect(nested({ deployments: [{ name: "a", provider: "lab", profil: "x" }] })).toContain(
      "Did you mean `profile`?",
    );
    expect(nested({ prices: { m: { ...price, output_usd_per_mtoc: 1 } } })).toContain(
      "Did you mean `output_usd_per_mtok`?",
    );
    expect(nested({ prices: { m: { input_usd_per_mtok: -1, output_usd_per_mtok: 1 } } })).toContain(
      "`prices.m.input_usd_per_mtok`",
    );
    expect(nested({ providers: [{ ...provider, base_url: "nope" }] })).toContain("`providers[0].base_url`");
    expect(nested({ provider_policies: { lab: { data_collection: "no" } } })).toContain(
      "`provider_policies.lab.data_collection`",
    );
    expect(nested({ presets: [{ name: "a", cost_wieght: 1 }] })).toContain("Did you mean `cost_weight`?");
    expect(
      nested({ comparisons: [{ name: "a", with: "m", share: 1, max_usd_per_day: 1, judge: ["j"] }] }),
    ).toContain("Did you mean `judges`?");
    expect(nested({ provider_policies: { lab: { regoin: "eu" } } })).toContain("Did you mean `region`?");
    expect(nested({ providers: [provider, provider] })).toContain("`providers[1].id`");
    expect(
      nested({
        deployments: [
          { name: "a", provider: "x" },
          { name: "a", provider: "y" },
        ],
      }),
    ).toContain("an earlier entry has the same");
  });

  it("a file that is missing, not JSON, or not an object", () => {
    expect(messageOf(() => load({ SEXTANT_CONFIG: "gone.json" }))).toMatch(
      /^SEXTANT_CONFIG is "gone\.json", but .*gone\.json does not exist/,
    );
    writeConfig("{oops");
    expect(messageOf(() => load())).toMatch(/sextant\.config\.json cannot be read as JSON/);
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

it("An unusable secret is never quoted in an error", () => {
  for (const [variable, value] of [
    ["SEXTANT_JWT_SECRET", "too-short-a-secret"],
    ["SEXTANT_REDIS_URL", "http://user:too-short-a-secret@localhost"],
    ["SEXTANT_BOOTSTRAP_API_KEY", "pk_live_too-short-a-secret"],
  ] as const) {
    const message = messageOf(() => load({ [variable]: value }));
    expect(message).toMatch(new RegExp(`^${variable} is set to a value that cannot be used: it must be `));
    expect(message).not.toContain("too-short");
  }
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

  it("read redaction patterns from the file, and refuse invalid ones", () => {
    const entry = { pattern: "sk-[a-z]+", flags: "i", replacement: "[key]" };
    writeConfig({ trace_redact: [entry, { pattern: "\\d{16}" }] });
    expect(load().traceRedact).toEqual([entry, { pattern: "\\d{16}" }]);
    const refusal = (redaction: object) => {
      writeConfig({ trace_redact: [redaction] });
      return messageOf(() => load());
    };
    expect(refusal({ pattern: "(a" })).toMatch(/`trace_redact\[0\]\.pattern` .*Unterminated group/);
    expect(refusal({ pattern: "a*" })).toMatch(/`trace_redact\[0\]\.pattern` .*matches an empty text/);
    expect(refusal({ pattern: "a", flags: "y" })).toMatch(/`trace_redact\[0\]\.flags` .*only `i`/);
    expect(refusal({ pattern: "a", flag: "i" })).toContain("Did you mean `flags`?");
  });
});

describe("Budgets", () => {
  const right = { name: "teams", by: "team", usd: 5 };
  const presets = [{ name: "economy" }];
  const refusal = (...budgets: readonly object[]) => {
    writeConfig({ budgets, presets });
    return messageOf(() => load());
  };

  it("have a month, UTC, and a warning at 80 % unless they say otherwise", () => {
    writeConfig({ budgets: [right], presets });
    expect(load().budgets).toEqual([{ ...right, period: "month", time_zone: "UTC", warn_at: 0.8 }]);
    const full = { period: "week", time_zone: "Asia/Kolkata", warn_at: 0.5, at_limit: { preset: "economy" } };
    writeConfig({ budgets: [{ ...right, ...full, by: "metadata.user_id", value: "ada" }], presets });
    expect(load().budgets[0]).toMatchObject(full);
  });

  it("are refused with what is wrong in them", () => {
    const named = (change: object) => refusal({ ...right, ...change });
    expect(named({ by: "tenant" })).toContain("`budgets[0].by`");
    expect(named({ time_zone: "Mars/Olympus" })).toMatch(/time_zone.*such as Europe\/Berlin/);
    expect(named({ time_zone: "+02:00" })).toContain("`budgets[0].time_zone`");
    expect(named({ name: "a:b" })).toContain("`budgets[0].name`");
    expect(named({ usd: undefined })).toContain(
      "it needs `usd`, `requests_per_minute` or `tokens_per_minute`",
    );
    expect(named({ usd: undefined, requests_per_minute: 5, at_limit: { preset: "economy" } })).toContain(
      "`at_limit` needs `usd`",
    );
    expect(named({ at_limit: { preset: "cheap" } })).toBe(
      '`budgets[0].at_limit.preset` is "cheap", but `presets` has no preset of that name. Add it, or name one of them.',
    );
    expect(named({ warn_att: 0.5 })).toContain("Did you mean `warn_at`?");
    expect(refusal(right, right)).toContain("a list of budgets");
  });
});

describe("Alerts", () => {
  const write = (webhook: object, rules: object = {}) =>
    writeConfig({ alerts: { webhooks: [webhook], rules } });

  it("have an address, or a variable that is set", () => {
    write({ name: "ops", form: "slack", url_env: "SEXTANT_OPS_URL" });
    expect(messageOf(() => load())).toBe(
      '`alerts.webhooks[0].url_env` is "SEXTANT_OPS_URL", but that variable is not set. Set it, or remove the webhook.',
    );
    expect(load({ SEXTANT_OPS_URL: "https://hooks.example" }).alerts.webhooks).toHaveLength(1);
    write({ name: "ops", form: "json", url: "https://hooks.example" }, { error_rate: false });
    expect(load().alerts.rules.error_rate).toBe(false);
  });

  it("are refused with what is wrong in them", () => {
    const refusal = (...given: Parameters<typeof write>) => {
      write(...given);
      return messageOf(() => load());
    };
    const right = { name: "ops", form: "json", url: "https://hooks.example" };
    expect(refusal({ ...right, url: "file:///etc/passwd" })).toContain("it must be an http or https URL");
    expect(refusal({ ...right, url: undefined })).toContain("it needs either `url` or `url_env`");
    expect(refusal({ ...right, form: "teams" })).toContain("it must be `slack` or `json`");
    expect(refusal({ ...right, secret: "x" })).toContain("Known keys: name, form, url, url_env, secret_env");
  });
});

describe("Variables that start with SEXTANT_", () => {
  it("stop the start when no setting has the name, with the nearest one", () => {
    expect(messageOf(() => load({ SEXTANT_PROT: "1" }))).toBe(
      "SEXTANT_PROT is not a setting. Did you mean SEXTANT_PORT? Otherwise unset it.",
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
  it("is generated from the schema (`npx vitest run test/gateway/settings/settings.test.ts -u` writes it)", async () => {
    await expect(settingsPage()).toMatchFileSnapshot("../../../docs/settings.md");
  });

  it("shows a valid example", () => {
    writeConfig({ ...EXAMPLE, ...LIMITS_EXAMPLE });
    expect(load()).toMatchObject({ deployments: EXAMPLE.deployments, prices: EXAMPLE.prices });
    expect(load().modelLimits).toEqual(LIMITS_EXAMPLE.model_limits);
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
