/**
 * Every setting, once: the schema below is the validation, the defaults and the text of docs/settings.md.
 *
 * A setting `dataDir` is written `data_dir` in the settings file and `SEXTANT_DATA_DIR` in the environment.
 * The environment wins over `.env`, and `.env` wins over the file. Lists of objects come from the file only.
 */
import { isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { SCOPES } from "../access/principal.js";
import { PACKAGE_ROOT } from "../foundation/package.js";

/** Folder of the console's page, as the build leaves it. */
export const CONSOLE_PAGE = join(PACKAGE_ROOT, "dist", "console");

/** Folder of the embedder that ships with the package. */
export const SHIPPED_EMBEDDER = join(PACKAGE_ROOT, "models", "sextant-static-v1");

/** Texts become numbers where they can, so that one schema reads both the environment and the file. */
const numberFromText = (schema: z.ZodType<number>) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);

const listFromText = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
  z.array(z.string().min(1)).min(1),
);

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const flag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);

const milliseconds = (defaultValue: number) =>
  numberFromText(z.int().min(1).max(86_400_000)).default(defaultValue);
const MILLISECONDS = "a whole number of milliseconds from 1 to 86400000";

/** What fits into one text: V8 holds at most 536,870,888 characters in one. */
const REPLY_BYTES = 536_870_888;

const usdPerMtok = z.number().min(0);
export const priceSchema = z.strictObject({
  input_usd_per_mtok: usdPerMtok.describe("US dollars per million prompt tokens."),
  cached_input_usd_per_mtok: usdPerMtok
    .optional()
    .describe(
      "US dollars per million prompt tokens read from the provider's cache; default the input price.",
    ),
  cache_write_usd_per_mtok: usdPerMtok
    .optional()
    .describe(
      "US dollars per million prompt tokens written to the provider's cache; default the input price.",
    ),
  output_usd_per_mtok: usdPerMtok.describe("US dollars per million completion tokens."),
});

const upstreamApi = z
  .enum(["chat", "completions", "embeddings"])
  .optional()
  .describe(
    "Upstream endpoint that serves it: `chat`, `completions` for models that cannot chat, or `embeddings`; default by its name.",
  );

export const providerModelSchema = z.strictObject({
  id: z.string().min(1).describe("Model id that requests and profiles use."),
  upstream_model: z
    .string()
    .min(1)
    .optional()
    .describe("Name the provider knows the model by; default `id`."),
  price: priceSchema
    .optional()
    .describe(
      "What this provider bills; without it, what `prices` says of the model, else the public list where the provider stands for a public one or is at its address, else unknown.",
    ),
  context_tokens: z
    .int()
    .positive()
    .optional()
    .describe("Context window in tokens, prompt and answer together."),
  api: upstreamApi,
});

export const providerSchema = z.strictObject({
  id: z.string().min(1).describe("Name of the provider in decisions and requests."),
  type: z
    .enum(["openai-compatible", "anthropic"])
    .describe("Wire dialect: `openai-compatible` or `anthropic`."),
  base_url: z
    .url({ protocol: /^https?$/ })
    .describe("Where its API lives, such as `http://localhost:8000/v1`."),
  api_key_env: z
    .string()
    .min(1)
    .optional()
    .describe("Environment variable that holds its key; none when it needs no key."),
  like: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Public provider whose ways its API shares, such as `azure`, `mistral` or `vllm`; default: by address.",
    ),
  models: z.array(providerModelSchema).default([]).describe("Models it serves."),
});

export const deploymentSchema = z.strictObject({
  name: z.string().min(1).describe("Name that requests use like a model id."),
  provider: z.string().min(1).describe("Id of the provider that runs it."),
  upstream_model: z.string().min(1).optional().describe("Name the provider knows it by; default `name`."),
  price: priceSchema
    .optional()
    .describe("What it costs; without it the price of `profile` at that provider."),
  context_tokens: z
    .int()
    .positive()
    .optional()
    .describe("Context window in tokens; default that of `profile`."),
  api: upstreamApi,
  profile: z
    .string()
    .min(1)
    .optional()
    .describe("Model whose profile, context window and capabilities it shares; default `name`."),
});

export const redactionSchema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe(
      "Regular expression in JavaScript's syntax. Every match is replaced; one that matches nothing at all is refused.",
    ),
  flags: z
    .string()
    .regex(
      /^[ims]*$/,
      "only `i` (any case), `m` (`^` and `$` at every line) and `s` (`.` matches line ends too) are known",
    )
    .optional()
    .describe(
      "`i` (any case), `m` (`^` and `$` at every line), `s` (`.` matches line ends too), or several of them.",
    ),
  replacement: z
    .string()
    .optional()
    .describe("What stands in its place, taken literally; default `[redacted]`."),
});

const usablePattern = redactionSchema.superRefine(({ pattern, flags = "" }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["pattern"], message });
  try {
    if (new RegExp(pattern, flags).test("")) refuse("it matches an empty text, which is everywhere");
  } catch (error) {
    if (/^[ims]*$/.test(flags)) refuse(error instanceof Error ? error.message : String(error));
  }
});

/** A list whose entries all have another `key`. */
function distinctBy<Key extends string, Entry extends Record<Key, string>>(
  key: Key,
  entry: z.ZodType<Entry>,
) {
  return z.array(entry).superRefine((entries, context) => {
    entries.forEach((item, index) => {
      if (entries.findIndex((other) => other[key] === item[key]) === index) return;
      context.addIssue({ code: "custom", path: [index, key], message: "an earlier entry has the same" });
    });
  });
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** What a bad value is told: the words after "it must be". */
export interface FieldMeta {
  readonly expects: string;
  readonly secret?: true;
}

const field = <Schema extends z.ZodType>(schema: Schema, description: string, meta: FieldMeta): Schema =>
  schema.meta({ description, ...meta }) as Schema;

export const settingsSchema = z.strictObject({
  host: field(
    z.string().min(1).default("127.0.0.1"),
    "Address to listen on. `0.0.0.0` for every interface of the machine.",
    { expects: "an IP address or host name, such as 127.0.0.1" },
  ),
  port: field(
    numberFromText(z.int().min(0).max(65_535)).default(8080),
    "Port to listen on. 0 picks any free one; the line `sextant listening on …` says which.",
    { expects: "a whole number from 0 to 65535" },
  ),
  workers: field(
    numberFromText(z.int().min(1).max(256)).default(1),
    "Processes that answer requests behind the one port; about as many as there are cores for it. With more than 1, one " +
      "further process keeps traces and limits for all of them, and starts a worker again that ends. Limits of requests and " +
      "connections are divided among them; what is known of the health of providers is each one's own.",
    { expects: "a whole number from 1 to 256" },
  ),
  dataDir: field(
    z.string().min(1).default("./data"),
    "Folder for API keys, spending, traces, learned lengths of answers and downloaded models. Nothing lasting is written elsewhere; a missing search " +
      "index is rebuilt in the system's temporary folder. A relative path starts at the working directory.",
    { expects: "a folder path" },
  ),
  bootstrapApiKey: field(
    z
      .string()
      .regex(/^pk_live_[0-9A-Za-z]{32,}$/)
      .optional(),
    "A key that exists as an admin key from the start, for containers and tests. It is never written to disk. " +
      "Without it, and with no key yet, one is made and printed once.",
    { expects: "`pk_live_` followed by at least 32 letters and digits", secret: true },
  ),
  auth: field(
    z.enum(["on", "off"]).default("on"),
    "Whether `/v1` asks for an API key or token. `off` is accepted only while `host` is a loopback address; all requests " +
      "then share the default limits, and must be addressed to a loopback name or one of `allowed_hosts`.",
    { expects: "`on` or `off`" },
  ),
  allowedHosts: field(
    listFromText.optional(),
    "Further host names by which requests may address a server whose `auth` is `off`, without a port, separated by commas. " +
      "Default: only loopback names and addresses, for other sites can have their names resolve to those.",
    { expects: "host names such as gateway.internal, separated by commas" },
  ),
  corsOrigins: field(
    z
      .preprocess(
        (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
        z.array(z.string().regex(/^(?:\*|https?:\/\/[^/\s]+)$/)).min(1),
      )
      .optional(),
    "Origins whose pages may call `/v1` from a browser, separated by commas; `*` for all. The key is then in the hands of " +
      "whoever opens the page. Default: none.",
    { expects: "origins such as https://app.example.com, separated by commas, or *" },
  ),
  console: field(
    flag.default(true),
    "Whether the operator console is served at `/console`. One signs in with an `admin` key.",
    { expects: "`true` or `false`" },
  ),
  consoleIdleMs: field(
    milliseconds(3_600_000),
    "Inactivity after which a session of the console ends, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  consoleSessionMs: field(
    milliseconds(43_200_000),
    "Longest time for a session of the console, in milliseconds. Then its user has to sign in again.",
    { expects: MILLISECONDS },
  ),
  consoleSignInTries: field(
    numberFromText(z.int().min(1).max(1_000_000)).default(10),
    "Refused keys within a minute after which an address has to wait before it tries to sign in to the console again. Behind a proxy, " +
      "set `trusted_proxies`: all users share its address otherwise.",
    { expects: "a whole number from 1 to 1000000" },
  ),
  trustedProxies: field(
    z
      .preprocess(
        (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
        z.array(z.string().refine(isAddressRange)).min(1),
      )
      .optional(),
    "Addresses of proxies in front of the server, or ranges such as `10.0.0.0/8`, separated by commas. Refused sign-ins are then " +
      "counted for the address that these name in `X-Forwarded-For`. Default: none, and the header is not read.",
    { expects: "addresses or ranges such as 10.0.0.0/8, separated by commas" },
  ),
  embedder: field(
    z.string().min(1).optional(),
    "Model that turns text into vectors: a Hugging Face hub id or a folder. Default: the one that ships with Sextant. " +
      "Another one may need [a further package](#another-embedder).",
    { expects: "a hub id such as `sentence-transformers/all-MiniLM-L6-v2`, or a folder" },
  ),
  profiles: field(
    listFromText.default([join(PACKAGE_ROOT, "profiles")]),
    "Profile sets, or folders of profile sets, that say what each model is good at, separated by commas. " +
      "Default: those that ship with Sextant.",
    { expects: "one or more folders" },
  ),
  profilesWatchMs: field(
    numberFromText(z.int().min(0).max(3_600_000)).default(2000),
    "Milliseconds between two looks at the files of the profile sets. Sets that have changed, and are the same at the next look, are " +
      "loaded and replace those in use; sets that cannot be used are reported in the log, and those in use stay. 0: changed files are " +
      "loaded on SIGHUP and `POST /admin/reload` only.",
    { expects: "a whole number from 0 to 3600000" },
  ),
  maxBodyBytes: field(
    numberFromText(z.int().min(1024).max(1_073_741_824)).default(4_194_304),
    "Largest request body in bytes. A larger one is answered with 413.",
    { expects: "a whole number from 1024 to 1073741824" },
  ),
  maxMessages: field(
    numberFromText(z.int().min(1).max(1_000_000)).default(2048),
    "Most messages in one request. More are answered with 400.",
    { expects: "a whole number from 1 to 1000000" },
  ),
  shutdownGraceMs: field(
    numberFromText(z.int().min(0).max(3_600_000)).default(10_000),
    "How long a stopping server waits for requests in flight, in milliseconds. Those that take longer end with the error " +
      "`overloaded`, and leave a trace of what was generated.",
    { expects: "a whole number from 0 to 3600000" },
  ),
  logLevel: field(
    z.enum(LOG_LEVELS).default("info"),
    "Least severe log lines to write, to standard error: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or " +
      "`silent`. From `info` on, failed requests and upstream calls are, from `debug` on all of them, each with its request id. Prompts and keys are never logged.",
    { expects: `one of ${LOG_LEVELS.join(", ")}` },
  ),
  metricsKeyNames: field(
    flag.default(false),
    "Whether `/metrics`, which needs no credentials, shows by the names of API keys how much of their limits they have used. " +
      "Without it, only the number of keys near a limit is shown.",
    { expects: "`true` or `false`" },
  ),
  maxRequestsInFlight: field(
    numberFromText(z.int().min(1).max(1_000_000)).default(4096),
    "Most requests that providers answer at one time, and as many of the others, such as decisions. Further ones are answered with " +
      "503 `overloaded`.",
    { expects: "a whole number from 1 to 1000000" },
  ),
  maxQueueMs: field(
    milliseconds(1000),
    "Longest time for which the requests of a burst may wait until the server reads them, in milliseconds; a fifth of it while more " +
      "requests keep coming than the processor can answer. Those beyond it are answered with 503 `overloaded` before they are " +
      "authenticated, so that the others are answered in time.",
    { expects: MILLISECONDS },
  ),
  lengthCorrection: field(
    z.enum(["on", "off"]).default("on"),
    "Whether the answers of routed requests correct how long the answers of their models are expected to be, and so their " +
      "expected cost. What was learned is kept in `data_dir`/lengths.json.",
    { expects: "`on` or `off`" },
  ),
  sandbox: field(
    flag.default(false),
    "Switches on the provider `sandbox` for every live model and every deployment. It answers without a network, with a text that " +
      "says so: for trying execution and streams, never for production.",
    { expects: "`true` or `false`" },
  ),
  maxAttempts: field(
    numberFromText(z.int().min(1).max(100)).default(6),
    "Most upstream calls for one request, retries and fallbacks included.",
    { expects: "a whole number from 1 to 100" },
  ),
  retries: field(
    numberFromText(z.int().min(0).max(20)).default(1),
    "How often the providers of one model are tried again after a failure that may pass, before the next model's turn.",
    { expects: "a whole number from 0 to 20" },
  ),
  retryMaxWaitMs: field(
    milliseconds(2000),
    "Longest wait before such another try, in milliseconds. A provider that asks for a longer one is not asked again.",
    { expects: MILLISECONDS },
  ),
  circuitFailures: field(
    numberFromText(z.int().min(1).max(1000)).default(5),
    "Failures in a row after which a provider is not asked for a model for a while.",
    { expects: "a whole number from 1 to 1000" },
  ),
  circuitCooldownMs: field(
    milliseconds(10_000),
    "How long it is then not asked, in milliseconds, before one request tries it again.",
    { expects: MILLISECONDS },
  ),
  upstreamConnectTimeoutMs: field(
    milliseconds(5000),
    "Longest wait for a connection to a provider, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamHeadersTimeoutMs: field(
    milliseconds(300_000),
    "Longest wait for the start of a provider's reply, in milliseconds. Answers that are not streamed usually start when " +
      "they are finished.",
    { expects: MILLISECONDS },
  ),
  upstreamFirstContentTimeoutMs: field(
    milliseconds(120_000),
    "Longest wait from the start of a streamed reply to its first content, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamIdleTimeoutMs: field(
    milliseconds(60_000),
    "Longest silence within a streamed answer, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamTotalTimeoutMs: field(
    milliseconds(600_000),
    "Longest time for one request with all its attempts, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  upstreamMaxConnections: field(
    numberFromText(z.int().min(1).max(65_536)).default(512),
    "Most connections to one provider's address.",
    { expects: "a whole number from 1 to 65536" },
  ),
  upstreamMaxReplyBytes: field(
    numberFromText(z.int().min(1024).max(REPLY_BYTES)).default(16_777_216),
    "Largest reply of a provider that is not streamed, and largest single event of a stream, in bytes. A larger one ends its " +
      "attempt with `reply_too_large`. Reading 16 MiB takes some hundred milliseconds, in which nothing else is answered.",
    { expects: `a whole number from 1024 to ${REPLY_BYTES}` },
  ),
  upstreamMaxStreamBytes: field(
    numberFromText(z.int().min(1024).max(1_099_511_627_776)).default(134_217_728),
    "Most bytes of one streamed answer of a provider. A longer one breaks off with `reply_too_large`.",
    { expects: "a whole number from 1024 to 1099511627776" },
  ),
  upstreamMaxEmbeddingsBytes: field(
    numberFromText(z.int().min(1024).max(REPLY_BYTES)).default(67_108_864),
    "Largest reply of a provider that holds embeddings, in bytes: 2,048 vectors of 3,072 numbers take 34 MB.",
    { expects: `a whole number from 1024 to ${REPLY_BYTES}` },
  ),
  streamKeepAliveMs: field(
    milliseconds(15_000),
    "Silence in a stream to a client after which a comment is sent to keep the connection open, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  clientStallTimeoutMs: field(
    milliseconds(60_000),
    "Longest time for which a client may leave unread what waits for it of a stream, in milliseconds. Then its connection is " +
      "closed, and the provider's with it.",
    { expects: MILLISECONDS },
  ),
  requestsPerMinute: field(
    numberFromText(z.int().min(1).max(1_000_000_000)).optional(),
    "Requests a minute for every key and token that has no limit of its own. Default: no limit.",
    { expects: "a whole number from 1 to 1000000000" },
  ),
  tokensPerMinute: field(
    numberFromText(z.int().min(1).max(1_000_000_000)).optional(),
    "Tokens a minute, prompts and answers together, for every key and token that has no limit of its own. Default: no limit.",
    { expects: "a whole number from 1 to 1000000000" },
  ),
  usdPerMonth: field(
    numberFromText(z.number().positive().max(1_000_000)).optional(),
    "US dollars a calendar month (UTC) for every key and token that has no budget of its own. Default: no limit.",
    { expects: "a number above 0, at most 1000000" },
  ),
  redisUrl: field(
    z.url({ protocol: /^rediss?$/ }).optional(),
    "Redis that holds the counters of limits and budgets, so that several instances share them. While it cannot be asked, " +
      "each instance goes on in memory. Default: each instance counts in memory and keeps budgets in `data_dir`.",
    { expects: "a URL such as redis://localhost:6379/0", secret: true },
  ),
  jwtSecret: field(
    z.string().min(32).optional(),
    "Secret that signs tokens with HS256. With it, `Authorization: Bearer <token>` is accepted beside API keys. Anyone who " +
      "has it can issue tokens for any subject.",
    { expects: "at least 32 characters", secret: true },
  ),
  jwtJwks: field(
    z.string().min(1).optional(),
    "Public keys that verify tokens signed with RS256 or ES256: a JWKS URL, or a file. Both are looked at again, so that " +
      "keys may change while the server runs.",
    { expects: "an http or https URL, or a file path" },
  ),
  jwtIssuer: field(
    z.string().min(1).optional(),
    "Value that `iss` of a token must have. Without it, `iss` is not checked: set it wherever one key set serves " +
      "several issuers.",
    { expects: "the issuer's name or URL" },
  ),
  jwtAudience: field(
    z.string().min(1).optional(),
    "Value that `aud` of a token must hold. Without it, only tokens without `aud` are accepted.",
    { expects: "the audience's name" },
  ),
  jwtDefaultScope: field(
    z
      .preprocess(
        (value) => (typeof value === "string" ? value.split(/[\s,]+/).filter((name) => name !== "") : value),
        z.array(z.enum(SCOPES)).min(1),
      )
      .optional(),
    "Scopes of a token that has no claim `scope`, as those of most identity providers: `inference`, `traces:read`, " +
      "`traces:read:all`, `admin`, with spaces between them. Default: such a token may do nothing.",
    { expects: `one or more of ${SCOPES.join(", ")}` },
  ),
  jwtClockToleranceS: field(
    numberFromText(z.int().min(0).max(600)).default(5),
    "Seconds by which the clocks of issuer and server may differ when `exp`, `nbf` and `iat` are checked.",
    { expects: "a whole number from 0 to 600" },
  ),
  chEnabled: field(
    flag.default(true),
    "Whether traces are kept at all. Without them the routes of traces answer 503 `store_down`; inference goes on.",
    { expects: "`true` or `false`" },
  ),
  traceStore: field(
    z.enum(["duckdb", "clickhouse"]).default("duckdb"),
    "Where traces are kept: `duckdb`, a file in `data_dir` that one process may use, or `clickhouse`, a server that any " +
      "number of instances share.",
    { expects: "`duckdb` or `clickhouse`" },
  ),
  clickhouseUrl: field(
    z.url({ protocol: /^https?$/ }).optional(),
    "ClickHouse server for `trace_store` `clickhouse`, with user, password and database if it has any.",
    { expects: "a URL such as http://default:secret@localhost:8123/sextant", secret: true },
  ),
  traceContent: field(
    flag.default(true),
    "Whether traces hold the texts of prompts and answers. When not, these are written nowhere.",
    { expects: "`true` or `false`" },
  ),
  traceMaxTextCharacters: field(
    numberFromText(z.int().min(100).max(67_108_864)).default(4_194_304),
    "Most characters of a prompt, and of an answer, that a trace holds. Of a longer one the beginning is kept, with a note of " +
      "its length; its tokens, where no provider counts them, are estimated from what is kept.",
    { expects: "a whole number from 100 to 67108864" },
  ),
  traceRedact: field(
    z.array(usablePattern).default([]),
    "What is replaced in prompts, answers, metadata values and error messages before a trace is kept. File only.",
    { expects: "a list of patterns" },
  ),
  traceRetentionDays: field(
    numberFromText(z.int().min(1).max(36_500)).optional(),
    "Days that traces are kept. Older ones are removed once a day, at most a day later: from a file by writing it anew " +
      "without them, which takes as much disk space again for a while, from ClickHouse by dropping whole months and " +
      "rewriting the month that the limit falls into. Default: for ever.",
    { expects: "a whole number from 1 to 36500" },
  ),
  traceFlushMs: field(
    numberFromText(z.int().min(1).max(60_000)).default(100),
    "How long finished traces are collected before they are written together, in milliseconds. A crash may lose what was " +
      "recorded within twice that time, or within 100 ms more than it, if that is longer.",
    { expects: "a whole number from 1 to 60000" },
  ),
  traceBufferRows: field(
    numberFromText(z.int().min(100).max(10_000_000)).default(20_000),
    "Most traces that wait in memory until they are written, to the store or to disk. Further ones are dropped and counted; " +
      "with `trace_redact`, texts are left out from half of it on.",
    { expects: "a whole number from 100 to 10000000" },
  ),
  traceBufferBytes: field(
    numberFromText(z.int().min(1_048_576).max(17_179_869_184)).default(134_217_728),
    "Most bytes of traces that wait in memory, in the same way.",
    { expects: "a whole number from 1048576 to 17179869184" },
  ),
  traceSpillMaxBytes: field(
    numberFromText(z.int().min(0).max(1_099_511_627_776)).default(1_073_741_824),
    "Most bytes of traces in `data_dir`/spill, which holds them while the store is down or slow. Further ones are dropped " +
      "and counted. 0 keeps none.",
    { expects: "a whole number from 0 to 1099511627776" },
  ),
  traceQueryTimeoutMs: field(
    milliseconds(30_000),
    "Longest time for one search of traces, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  traceQueryThreads: field(
    numberFromText(z.int().min(1).max(256)).optional(),
    "Threads that one search of traces may use. Default: half of the processor's cores, at most 4, so that requests are not " +
      "held up.",
    { expects: "a whole number from 1 to 256" },
  ),
  traceMemoryBytes: field(
    numberFromText(z.int().min(134_217_728).max(1_099_511_627_776)).default(536_870_912),
    "Most memory of the DuckDB store, in bytes. A search that needs more fails with a message.",
    { expects: "a whole number from 134217728 to 1099511627776" },
  ),
  providers: field(
    distinctBy("id", providerSchema).default([]),
    "Providers beyond the public ones, with the models they serve and what they bill. File only.",
    { expects: "a list of providers" },
  ),
  deployments: field(
    distinctBy("name", deploymentSchema).default([]),
    "Names of your own for models at a provider, with their own price, sharing a model's profile. File only.",
    { expects: "a list of deployments" },
  ),
  prices: field(
    z.record(z.string().min(1), priceSchema).default({}),
    "Prices by model id that replace the public ones. File only.",
    { expects: "an object of model id → price" },
  ),
});

/** Checked settings: every default filled in, every path absolute. Nested entries keep the file's snake_case names. */
export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type ProviderSettingsEntry = z.infer<typeof providerSchema>;
export type ProviderModelEntry = z.infer<typeof providerModelSchema>;
export type DeploymentEntry = z.infer<typeof deploymentSchema>;
export type RedactionEntry = z.infer<typeof redactionSchema>;
export type PriceEntry = z.infer<typeof priceSchema>;

export const FILE_ONLY: readonly string[] = ["traceRedact", "providers", "deployments", "prices"];
export const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** `dataDir` → `data_dir`: the name in the settings file. */
export const fileKeyOf = (setting: string): string =>
  setting.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `dataDir` → `SEXTANT_DATA_DIR`; undefined for settings that only the file can hold. */
export const variableOf = (setting: string): string | undefined =>
  FILE_ONLY.includes(setting) ? undefined : `SEXTANT_${fileKeyOf(setting).toUpperCase()}`;
