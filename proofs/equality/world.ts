import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  eventReply,
  jsonReply,
  reply,
  type Script,
  UpstreamServer,
} from "../../test/fakes/upstream-server.js";
import { VENDOR_ACCESS } from "../../test/fakes/vendors/vendor-gateway.js";
import { VENDORS, VendorServer } from "../../test/fakes/vendors/vendor-server.js";

export const ADMIN_KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";

/** Header of a request that the gateway's clock does not move with. */
export const STOPPED_CLOCK = { "x-clock": "stopped" };

/** A built gateway on fake vendors and a provider that fails on request. Its clock stands still between requests. */
export interface World {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly upstreams: readonly UpstreamServer[];
  stop(): Promise<void>;
}

/** How the provider `elsewhere` answers each of its models. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const whole = (model: string, choices: readonly object[]): object => ({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices, usage: USAGE },
});
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const answer = { index: 0, message: { role: "assistant", content: "Fine." }, finish_reason: "stop" };
const failure = (message: string): object => ({ error: { message, type: "server_error", code: null } });
const retry = { headers: { "retry-after-ms": "1" } };

const answered = (model: string, stream: boolean): Script =>
  stream
    ? eventReply([
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Fine." }),
        chunk({}, "stop"),
        `data: ${JSON.stringify({ choices: [], model, usage: USAGE })}\n\n`,
        "data: [DONE]\n\n",
      ])
    : jsonReply(whole(model, [answer]));

const ELSEWHERE: Readonly<Record<string, (stream: boolean) => Script>> = {
  steady: (stream) => answered("steady", stream),
  renamed: (stream) => answered("another-model", stream),
  failing: () => jsonReply(failure("Something broke"), { status: 500, ...retry }),
  limited: () => jsonReply(failure("Too many requests"), { status: 429, ...retry }),
  unauthorized: () => jsonReply(failure("Incorrect API key provided: sk-secret"), { status: 401 }),
  unpaid: () =>
    jsonReply({ error: { message: "Quota exceeded", code: "insufficient_quota" } }, { status: 429 }),
  refusing: () => jsonReply({ error: { message: "'seed' is not allowed", param: "seed" } }, { status: 400 }),
  filtering: () => jsonReply({ error: { message: "Flagged", code: "content_filter" } }, { status: 400 }),
  "too-long": () =>
    jsonReply(
      { error: { message: "maximum context length is 10 tokens", code: "context_length_exceeded" } },
      { status: 400 },
    ),
  page: () => reply({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" }),
  empty: (stream) => (stream ? eventReply(["data: [DONE]\n\n"]) : jsonReply(whole("empty", []))),
  garbled: (stream) => (stream ? eventReply(["data: {no json\n\n"]) : reply({ body: "{no json" })),
  broken: (stream) =>
    stream
      ? eventReply([chunk({ role: "assistant", content: "Fi" })], { ending: "cut" })
      : jsonReply(whole("broken", [answer]), { ending: "cut" }),
  "reported-late": (stream) =>
    stream
      ? eventReply([chunk({ content: "Fi" }), `data: ${JSON.stringify(failure("Overloaded"))}\n\n`])
      : jsonReply(failure("Overloaded"), { status: 503, ...retry }),
};

const VECTOR = [0.25, -0.5, 0.75];
const elsewhere: Script = (exchange) => {
  const { path, body: text } = exchange.request;
  const body = text === "" ? {} : JSON.parse(text);
  if (path.endsWith("/embeddings")) {
    const inputs = Array.isArray(body.input) && typeof body.input[0] !== "number" ? body.input : [body.input];
    const data = inputs.map((_: unknown, index: number) => ({
      object: "embedding",
      index,
      embedding: VECTOR,
    }));
    return jsonReply({
      object: "list",
      model: "embedder",
      data,
      usage: { prompt_tokens: 7, total_tokens: 7 },
    })(exchange);
  }
  if (path.endsWith("/v1/completions")) {
    const choices = [{ index: 0, text: "Fine.", finish_reason: "stop", logprobs: null }];
    const completion = {
      id: "cmpl-1",
      object: "text_completion",
      created: 1,
      model: "base",
      choices,
      usage: USAGE,
    };
    return (
      body.stream === true
        ? eventReply([`data: ${JSON.stringify(completion)}\n\n`, "data: [DONE]\n\n"])
        : jsonReply(completion)
    )(exchange);
  }
  const script = ELSEWHERE[body.model] ?? (() => jsonReply(failure("Unknown URL"), { status: 404 }));
  return script(body.stream === true)(exchange);
};

export const FAULTY_MODELS = Object.keys(ELSEWHERE);

const PRICE = { input_usd_per_mtok: 1, output_usd_per_mtok: 4 };

const configOf = (elsewhereUrl: string): object => ({
  providers: [
    {
      ...{ id: "elsewhere", type: "openai-compatible", base_url: elsewhereUrl },
      models: [
        ...FAULTY_MODELS.map((id) => ({ id, price: PRICE, context_tokens: 100_000 })),
        { id: "embedder", api: "embeddings", price: { ...PRICE, output_usd_per_mtok: 0 } },
        { id: "base", api: "completions", price: PRICE },
      ],
    },
  ],
  deployments: [
    { name: "support-bot", provider: "openai", upstream_model: "gpt-5.4-mini", profile: "gpt-5.4-mini" },
  ],
  fallbacks: { limited: ["steady", "gpt-5.4-mini"] },
  presets: [
    { name: "economy", cost_weight: 0.9, max_tokens: 500 },
    { name: "few", models: ["gpt-5.4-mini", "claude-haiku-4-5"], cost_weight: 0.1 },
  ],
  baseline_model: "gpt-5.5",
  budgets: [
    { name: "teams", by: "team", usd: 5, period: "month", warn_at: 0.5 },
    { name: "tiny", by: "source", value: "tiny", usd: 0.00000001, period: "day" },
    { name: "slow", by: "source", value: "slow", requests_per_minute: 2 },
    {
      name: "thrifty",
      by: "source",
      value: "thrifty",
      usd: 0.00000001,
      period: "day",
      at_limit: { preset: "economy" },
    },
  ],
  trace_redact: [{ pattern: "redact-[0-9]+", replacement: "[removed]" }],
});

/**
 * Loaded into the gateway first: its clocks begin at one moment and move 50 ms with each request, and what it draws is always
 * the same. Limits, circuits and days then pass alike in every run.
 */
const FIXED_CLOCK = `
import { Server } from "node:http";
const RealDate = Date;
let elapsed = 0;
const start = RealDate.UTC(2026, 10, 28, 12);
globalThis.Date = class extends RealDate {
  constructor(...given) { given.length === 0 ? super(start + elapsed) : super(...given); }
  static now() { return start + elapsed; }
};
performance.now = () => 1000 + elapsed;
Math.random = () => 0.5;
const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...rest) {
  if (event === "request" && rest[0].headers["x-clock"] !== "stopped") elapsed += 50;
  return emit.call(this, event, ...rest);
};`;

/** @param built a checkout with `dist` and `node_modules` */
export async function startWorld(built: string): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-equality-"));
  const vendors = await Promise.all(VENDORS.map((vendor) => VendorServer.start(vendor)));
  const other = await UpstreamServer.start();
  other.answer(elsewhere);
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: join(folder, "data"),
    SEXTANT_BOOTSTRAP_API_KEY: ADMIN_KEY,
    SEXTANT_LOG_LEVEL: "silent",
    SEXTANT_JWT_SECRET: "a secret of at least thirty-two characters",
  };
  for (const { vendor, upstream } of vendors) {
    const { key, address, path } = VENDOR_ACCESS[vendor];
    environment[key] = "sk-of-this-test";
    environment[address] = `${upstream.origin}${path}`;
  }
  await writeFile(join(folder, "sextant.config.json"), JSON.stringify(configOf(`${other.origin}/v1`)));
  const clock = `data:text/javascript,${encodeURIComponent(FIXED_CLOCK)}`;
  const args = ["--import", clock, join(built, "dist", "cli", "main.js"), "serve"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const upstreams = [...vendors.map(({ upstream }) => upstream), other];
  return {
    address: await addressOf(child),
    upstreams,
    async stop() {
      if (child.exitCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = "";
  for await (const piece of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += String(piece);
    const address = /sextant listening on (\S+)\n/.exec(printed)?.[1];
    if (address === undefined) continue;
    child.stdout?.resume();
    return address;
  }
  throw new Error(`The gateway ended before it listened: ${printed}`);
}
