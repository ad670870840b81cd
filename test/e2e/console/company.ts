/** A gateway as a small company has it: several applications, vendors of which some fail, and traffic of the last weeks. */
import { encodeTime } from "ulid";
import { openDuckDbStore } from "../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { Trace } from "../../../src/gateway/traces/trace.js";
import { jsonReply, type Script } from "../../fakes/upstream-server.js";
import { type Gateway, openGateway } from "./gateway.js";

interface Application {
  readonly name: string;
  readonly source: string;
  readonly limits: object;
  readonly models: readonly string[];
  readonly requests: number;
}

const APPLICATIONS: readonly Application[] = [
  {
    name: "Support bot, production",
    source: "support",
    limits: { requests_per_minute: 600, tokens_per_minute: 400_000, usd_per_month: 250 },
    models: ["gpt-4o-mini", "gpt-4o-mini", "gpt-4o"],
    requests: 60,
  },
  {
    name: "Billing exports",
    source: "billing",
    limits: { requests_per_minute: 30, usd_per_month: 40 },
    models: ["gpt-4o-mini", "deepseek-chat"],
    requests: 52,
  },
  {
    name: "Research notebooks",
    source: "research",
    limits: { tokens_per_minute: 60_000, usd_per_month: 0.24 },
    models: ["gpt-4o", "mistral-large-2411", "gpt-4o"],
    requests: 46,
  },
  {
    name: "Customer: Acme GmbH",
    source: "acme",
    limits: { usd_per_month: 100 },
    models: ["llama-3.3-70b-versatile", "gpt-4o-mini"],
    requests: 40,
  },
];

const PROMPT = "Prove that merge sort needs O(n log n) comparisons, and say when that matters.";
const VENDORS = ["OPENAI", "GROQ", "MISTRAL", "DEEPSEEK"];

export interface Company extends Gateway {
  /** By the name of the application. */
  readonly keys: ReadonlyMap<string, string>;
}

/** With the requests of all applications, half of them before the copies on earlier days. */
export async function startCompany(): Promise<Company> {
  const gateway = await openGateway({
    answer: answerAsVendor(),
    settings: (baseUrl) => ({
      environment: Object.fromEntries(
        VENDORS.flatMap((vendor) => [
          [`${vendor}_API_KEY`, "sk-demo"],
          [`${vendor}_BASE_URL`, baseUrl],
        ]),
      ),
      providers: [],
    }),
  });
  const keys = new Map<string, string>();
  for (const { name, source, limits } of APPLICATIONS) {
    const scopes = ["inference", "traces:read"];
    const { body } = await gateway.ask("/admin/keys", { name, source, limits, scopes });
    keys.set(name, String(body.key));
  }
  await sendRequests(gateway, { keys, share: 0.5 });
  await gateway.restart(() => addHistory(gateway.traceFile));
  await sendRequests(gateway, { keys, share: 1 });
  return Object.assign(gateway, { keys });
}

/** Of all applications in turn, with decisions without execution between them. */
async function sendRequests(
  { ask }: Gateway,
  { keys, share }: { readonly keys: ReadonlyMap<string, string>; readonly share: number },
): Promise<void> {
  const most = Math.max(...APPLICATIONS.map(({ requests }) => requests));
  for (let at = 0; at < most * share; at++) {
    for (const application of APPLICATIONS.filter(({ requests }) => at < requests * share)) {
      const [path, body] = requestOf(application, at);
      await ask(path, body, { key: keys.get(application.name) ?? "" });
    }
  }
}

function requestOf({ models, source }: Application, at: number): [path: string, body: object] {
  const metadata = { session: `${source}-${Math.floor(at / 6)}`, tenant: at % 3 === 0 ? "north" : "south" };
  const body = { messages: [{ role: "user", content: PROMPT }], metadata, max_tokens: 800 };
  if (at % 8 === 7) return ["/v1/router", { ...body, execute: false, cost_weight: 0.4 }];
  if (at % 5 === 4) return ["/v1/router", { ...body, cost_weight: 0.3 }];
  return ["/v1/chat/completions", { ...body, model: models[at % models.length] }];
}

const HOUR_MS = 3_600_000;

/** Slower copies of what was asked so far, a quarter of it in each hour of the last day and on each of the last days. */
async function addHistory(file: string): Promise<void> {
  const store = openDuckDbStore(file, { queryTimeoutMs: 60_000, memoryBytes: 256 * 1024 * 1024 });
  const found: Trace[] = [];
  for await (const batch of store.export({ filter: {} }, { scope: "all" })) found.push(...batch);
  const hoursBack = Array.from({ length: 42 }, (_, step) => (step < 22 ? step + 1 : 24 * (step - 21)));
  const copies = hoursBack.flatMap((hours, step) =>
    found
      .filter((_, at) => (at + step) % 4 === 0)
      .map((trace, at): Trace => {
        const createdAtMs = Math.floor(Date.now() / 1000) * 1000 - hours * HOUR_MS;
        const random = `${step}`.padStart(8, "0") + `${at}`.padStart(8, "0");
        const requestId = `req_${encodeTime(createdAtMs, 10)}${random}`;
        return { ...trace, createdAtMs, requestId, latencyMs: 300 + ((997 * step + 131 * at) % 900) };
      }),
  );
  await store.append(copies);
  await store.close();
}

/** How often a model fails, of how many requests, and with what. */
const FAILURES: Readonly<Record<string, readonly [every: number, status: number, message: string]>> = {
  "gpt-4o": [9, 429, "Rate limit reached for gpt-4o on tokens per min (TPM)."],
  "mistral-large-2411": [1, 401, "Unauthorized: the API key is invalid or has been revoked."],
};

/** Answers as the model that is asked for; some models fail. */
export function answerAsVendor(): Script {
  const asked = new Map<string, number>();
  return async (exchange) => {
    const { model, messages } = JSON.parse(exchange.request.body) as {
      readonly model: string;
      readonly messages: readonly { readonly content: string }[];
    };
    const number = (asked.get(model) ?? 0) + 1;
    asked.set(model, number);
    const [every = Number.NaN, status = 0, message] = FAILURES[model] ?? [];
    if (number % every === 0) return jsonReply({ error: { message } }, { status })(exchange);
    const prompt_tokens = 180 + (messages.at(-1)?.content ?? "").length * 7;
    const completion_tokens = 90 + ((number * 137) % 700);
    const answer = { role: "assistant", content: "The parcel is **on its way**: it arrives on Monday." };
    return jsonReply({
      id: `chatcmpl-${number}`,
      object: "chat.completion",
      created: 1_763_600_000,
      model,
      choices: [{ index: 0, message: answer, finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    })(exchange);
  };
}
