/** A gateway whose providers are one scripted upstream: it answers most requests, and fails the others as real providers do. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { composeServer } from "../../../../src/compose/compose.js";
import { openRouterFromSettings } from "../../../../src/compose/open-router.js";
import { loadSettings } from "../../../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, type Exchange, jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { ADMIN_KEY } from "../gateway.js";

export interface DemoGateway {
  readonly address: string;
  readonly traceFile: string;
  /** A request with a key, the administrator's by default. @returns status and body */
  send(method: "GET" | "POST" | "DELETE", path: string, options?: SendOptions): Promise<Reply>;
  /** Stops the server and starts it again on the same data, with `between` run while no process uses them. */
  restart(between: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

interface SendOptions {
  readonly key?: string;
  readonly body?: unknown;
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Where alerts are sent. */
const WEBHOOK = "/alerts";

interface DemoOptions {
  /** None: as a gateway is before its operator sets any up. */
  readonly budgets: "none" | "with alerts";
}

export async function startDemoGateway({ budgets: which }: DemoOptions): Promise<DemoGateway> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-screenshots-"));
  const dataDir = join(folder, "data");
  const upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer(answerAsProvider());
  const baseUrl = `${upstream.origin}/v1`;
  const budgets = [
    { name: "per-source", by: "source", usd: 1, period: "month", at_limit: { preset: "economy" } },
    { name: "everything", by: "all", usd: 500, period: "month" },
    { name: "batch", by: "source", value: "billing", requests_per_minute: 100 },
  ];
  writeFileSync(
    join(folder, "sextant.config.json"),
    JSON.stringify(
      which === "none"
        ? {}
        : {
            budgets,
            presets: [{ name: "economy", cost_weight: 0.9 }],
            alerts: { webhooks: [{ name: "ops", form: "json", url: `${upstream.origin}${WEBHOOK}` }] },
          },
    ),
  );
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: dataDir,
    SEXTANT_BOOTSTRAP_API_KEY: ADMIN_KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_CIRCUIT_COOLDOWN_MS: "600000",
    ...Object.fromEntries(
      ["OPENAI", "GROQ", "MISTRAL", "DEEPSEEK"].flatMap((vendor) => [
        [`${vendor}_API_KEY`, "sk-demo"],
        [`${vendor}_BASE_URL`, baseUrl],
      ]),
    ),
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const sources = { logger: pino({ level: "silent" }), environment, openRouter: openRouterFromSettings };
  const start = async () => {
    const server = await composeServer(settings, sources);
    return { server, address: await server.start() };
  };
  let running = await start();
  return {
    get address() {
      return running.address;
    },
    traceFile: join(dataDir, "traces.duckdb"),
    async send(method, path, { key = ADMIN_KEY, body } = {}) {
      const reply = await fetch(`${running.address}${path}`, {
        method,
        headers: {
          "x-api-key": key,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: (await reply.json()) as Reply["body"] };
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

const ANSWERS = [
  "You can change the delivery address until the parcel leaves the warehouse: open **Orders**, choose the order, then *Change address*.",
  "The total of invoice 4711 is 1,284.50 EUR, due on 30 November. Two line items lack a cost centre.",
  "Merge sort divides the list, sorts both halves and merges them: O(n log n) in every case, at the price of O(n) memory.",
  "Summary: revenue grew 8 % against last quarter, mostly from renewals; churn was stable at 1.9 %.",
];

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}

/** How often a model fails, of how many requests, and with what. */
const FAILURES: Readonly<Record<string, { readonly every: number; readonly failure: Failure }>> = {
  "gpt-4o": {
    every: 9,
    failure: {
      status: 429,
      code: "rate_limit_exceeded",
      message:
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29412, Requested 1201.",
    },
  },
  "mistral-large-2411": {
    every: 1,
    failure: { status: 401, message: "Unauthorized: the API key is invalid or has been revoked." },
  },
  "llama-3.3-70b-versatile": {
    every: 4,
    failure: { status: 503, message: "The model is over capacity. Please try again in a few seconds." },
  },
};

function answerAsProvider(): (exchange: Exchange) => Promise<void> {
  const asked = new Map<string, number>();
  return async (exchange) => {
    if (exchange.request.path === WEBHOOK) return jsonReply({})(exchange);
    const { model, messages } = JSON.parse(exchange.request.body) as {
      readonly model: string;
      readonly messages: readonly { readonly content: string }[];
    };
    const number = (asked.get(model) ?? 0) + 1;
    asked.set(model, number);
    const prompt = messages.at(-1)?.content ?? "";
    const failing = FAILURES[model];
    if (prompt.includes("solvent")) {
      const message = "The prompt was flagged by the content policy: hazardous chemistry.";
      return jsonReply({ error: { message, code: "content_filter" } }, { status: 400 })(exchange);
    }
    if (failing !== undefined && number % failing.every === 0) {
      const { status, ...error } = failing.failure;
      return jsonReply({ error }, { status })(exchange);
    }
    return jsonReply(completion(model, { number, prompt }))(exchange);
  };
}

function completion(
  model: string,
  { number, prompt }: { readonly number: number; readonly prompt: string },
): object {
  const usage = { prompt_tokens: 180 + prompt.length * 7, completion_tokens: 90 + ((number * 137) % 700) };
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1_763_600_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: ANSWERS[number % ANSWERS.length] },
        finish_reason: "stop",
      },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}
