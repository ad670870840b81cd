/** A gateway with traffic, for the tests of the console: the sandbox, a provider that always fails, hostile content. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { composeServer } from "../../../src/compose/compose.js";
import { openRouterFromSettings } from "../../../src/engine/open-router.js";
import { SettingsSource } from "../../../src/gateway/settings/settings-source.js";
import { CHAT_ONLY, jsonReply, type Script, UpstreamServer } from "../../fakes/upstream-server.js";
import { KEY } from "../../gateway/server.js";
import { type Caller, callerOf } from "../whole-gateway.js";

export { KEY as ADMIN_KEY } from "../../gateway/server.js";

/** A model's id as somebody could write it who wants to run a script in the operator's page. */
export const HOSTILE_MODEL = '<img src=x onerror="window.hostile=1">';
const THINKING_MODEL = "thinking-model";
const HOSTILE_TEXT =
  "<script>window.hostile=1</script><img src=x onerror=window.hostile=1> {{7*7}} javascript:window.hostile=1 " +
  "\u202Eesrever\u202C \u0000\u0007\u001b[31m \u200Bzero\uFEFF </pre></textarea>--> 👩‍👩‍👧 e\u0301 العربية";
export const HOSTILE_TAG = '"><svg onload=window.hostile=1>\u202Egnp.txt';

export interface Gateway {
  readonly address: string;
  readonly traceFile: string;
  readonly call: Caller;
  /** A request with a key, the administrator's by default. @returns status and body */
  ask(path: string, body: object, options?: AskOptions): Promise<Reply>;
  /** Stops the server and starts it again on the same data, with `between` run while no process uses them. */
  restart(between: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

interface AskOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface GatewayOptions {
  /** Answers all calls of providers. */
  readonly answer: Script;
  /** Beside those of a gateway in an empty folder. @param baseUrl of the server that answers */
  readonly settings: (baseUrl: string) => {
    readonly environment: Readonly<Record<string, string>>;
    readonly providers: readonly object[];
  };
}

/** A gateway in this process, whose providers are one scripted server. */
export async function openGateway({ answer, settings: settingsAt }: GatewayOptions): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-console-e2e-"));
  const upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer(answer);
  const { environment: more, providers } = settingsAt(`${upstream.origin}/v1`);
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers }));
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: join(folder, "data"),
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_CIRCUIT_COOLDOWN_MS: "600000",
    ...more,
  };
  const source = new SettingsSource(environment, { workingDirectory: folder });
  const { settings } = source.current;
  const sources = {
    source,
    logger: pino({ level: "silent" }),
    environment,
    openRouter: openRouterFromSettings,
  };
  const start = async () => {
    const server = await composeServer(settings, sources);
    return { server, address: await server.start() };
  };
  let running = await start();
  return {
    get address() {
      return running.address;
    },
    traceFile: join(folder, "data", "traces.duckdb"),
    call: (path, options) => callerOf(running.address)(path, options),
    async ask(path, body, options) {
      const { status, json } = await callerOf(running.address)(path, { body, ...options });
      return { status, body: json() };
    },
    async restart(between) {
      await running.server.stop();
      await between();
      running = await start();
    },
    async stop() {
      await running.server.stop();
      await upstream.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const fail = jsonReply({ error: { message: HOSTILE_TEXT } }, { status: 500 });

/** The sandbox, and a provider that always fails. */
export const startGateway = (changes: Readonly<Record<string, string>> = {}): Promise<Gateway> =>
  openGateway({
    answer: (exchange) => (exchange.request.body.includes(THINKING_MODEL) ? think : fail)(exchange),
    settings: (baseUrl) => {
      const shared = { type: "openai-compatible", base_url: baseUrl };
      const keys = [{ api_key_env: "BROKEN_KEY" }, { api_key_env: "SPARE_KEY", name: HOSTILE_TAG }];
      const models = [HOSTILE_MODEL, "failing-model", "model-to-pause", "model-of-a-key"];
      return {
        environment: {
          SEXTANT_SANDBOX: "true",
          SEXTANT_CIRCUIT_FAILURES: "4",
          BROKEN_KEY: "a-key",
          ...changes,
        },
        providers: [
          { ...shared, id: "broken", keys, models: models.map((id) => ({ id })) },
          { ...shared, id: "thinking", api_key_env: "BROKEN_KEY", models: [{ id: THINKING_MODEL }] },
        ],
      };
    },
  });

/** What the model thinks before it answers "4". */
export const REASONING = "They ask for a sum <b>of two</b> numbers.";

const answer = { role: "assistant", content: "4", reasoning_content: REASONING };

/** The answer of a model that says what it thought. */
const think = jsonReply({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: THINKING_MODEL,
  choices: [{ index: 0, finish_reason: "stop", message: answer }],
  usage: { prompt_tokens: 9, completion_tokens: 14, completion_tokens_details: { reasoning_tokens: 12 } },
});

const chat = (model: string, content: string, more: object = {}) => ({
  model,
  messages: [{ role: "user", content }],
  ...more,
});

/** A metadata value that the requests of one conversation share. */
export const SESSION = "s-4711";

/** The same of the request that is answered with reasoning. */
export const THOUGHTFUL = "s 1";

/** Two turns with a tool call between them, routed, as an application sends them. */
export async function sendConversation({ ask }: Gateway): Promise<void> {
  const more = { model: "auto", router: { cost_weight: 0.4 }, metadata: { session_id: SESSION } };
  const opening = [
    { role: "system", content: "You are the support bot of a shop. Be brief." },
    { role: "user", content: "Where is my order 88213?" },
  ];
  const { body } = await ask("/v1/chat/completions", { ...more, messages: opening });
  const [choice] = body.choices as readonly { readonly message: { readonly content: string } }[];
  const call = { name: "find_order", arguments: '{"order":88213}' };
  await ask("/v1/chat/completions", {
    ...more,
    messages: [
      ...opening,
      { role: "assistant", content: choice?.message.content },
      { role: "user", content: "Please look it up." },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] },
      { role: "tool", tool_call_id: "call_1", content: '{"state":"on its way"}' },
    ],
  });
}

/**
 * Has it be noon in the middle of the month for the gateway and the browser, so that no hour, day or month ends during a test.
 *
 * @returns back to the real time
 */
export function beginAtNoon(): () => void {
  const { now } = Date;
  const noon = new Date(now());
  noon.setUTCDate(15);
  const aheadMs = noon.setUTCHours(12, 0, 0, 0) - now();
  Date.now = () => now() + aheadMs;
  return () => {
    Date.now = now;
  };
}

/** Until so many traces with the filter given can be found: they are written some time after the answers. */
export const tracesFound = (
  { call }: Pick<Gateway, "call">,
  { query = "", total }: { readonly query?: string; readonly total: number },
): Promise<void> =>
  vi.waitFor(
    async () => {
      expect((await call(`/v1/traces?${query}`)).json()).toMatchObject({ total });
    },
    { timeout: 60_000, interval: 100 },
  );

/** Forty requests of all kinds, the failures and the hostile ones among them, whose traces are all written. */
export async function sendTraffic(gateway: Gateway): Promise<void> {
  const { ask } = gateway;
  const say = (body: object, headers = {}) => ask("/v1/chat/completions", body, { headers });
  await ask("/admin/keys", {
    name: "An application with a rather long name, production",
    scopes: ["inference"],
    limits: { requests_per_minute: 10, tokens_per_minute: 10_000, usd_per_month: 4 },
  });
  await sendConversation(gateway);
  const sum = chat(THINKING_MODEL, "What is 2 + 2?", { metadata: { session: THOUGHTFUL } });
  await say({ ...sum, provider: "thinking" });
  for (let at = 0; at < 12; at++) {
    const metadata = { tenant: at % 3 === 0 ? "acme" : "globex", tier: at % 4 };
    await say(chat("gpt-4o-mini", `Question ${at}`, { metadata }));
    await say(chat("claude-3-5-haiku-20241022", `Question ${at}`, { metadata }), { "x-source": "billing" });
  }
  for (let at = 0; at < 4; at++) {
    const metadata = { [HOSTILE_TAG]: HOSTILE_TEXT };
    await say(chat(HOSTILE_MODEL, HOSTILE_TEXT, { provider: "broken", metadata }));
  }
  await say(chat("failing-model", "Fail once", { provider: "broken" }));
  const routed = { messages: [{ role: "user", content: "What is 2 + 2?" }], cost_weight: 0.4 };
  for (let at = 0; at < 6; at++) await ask("/v1/router", { ...routed, metadata: { case: "needle" } });
  await say(chat("gpt-4o-mini", HOSTILE_TEXT, { metadata: { kind: "hostile" } }));
  const megabyte = `${HOSTILE_TEXT}${"<b>x</b>\u0007".repeat(120_000)}`.slice(0, 1_048_576);
  // One of the few with so long a context.
  const huge = await say(chat("gemini-1.5-pro-002", megabyte, { metadata: { kind: "huge" } }));
  if (huge.status !== 200) throw new Error(`the long prompt was answered with ${JSON.stringify(huge)}`);
  await tracesFound(gateway, { query: "metadata.kind=huge", total: 1 });
}
