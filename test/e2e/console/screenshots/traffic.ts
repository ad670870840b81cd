/** Requests of several applications, as a gateway of a small company would see them. */
import type { DemoGateway } from "./gateway.js";

interface Application {
  readonly name: string;
  readonly source: string;
  readonly limits: object;
  readonly models: readonly string[];
  readonly prompts: readonly string[];
  /** Requests before the pictures, all within the running minute. */
  readonly requests: number;
}

const APPLICATIONS: readonly Application[] = [
  {
    name: "Support bot, production",
    source: "support",
    limits: { requests_per_minute: 600, tokens_per_minute: 400_000, usd_per_month: 250 },
    models: ["gpt-4o-mini", "gpt-4o-mini", "gpt-4o"],
    prompts: [
      "How can I change the delivery address of order 88213?",
      "The customer writes in French that the blender arrived broken. Draft a reply.",
      "Which solvent dissolves the glue on the label of model X2?",
    ],
    requests: 60,
  },
  {
    name: "Billing exports",
    source: "billing",
    limits: { requests_per_minute: 30, usd_per_month: 40 },
    models: ["gpt-4o-mini", "deepseek-chat"],
    prompts: ["Extract total, due date and cost centre from this invoice as JSON: invoice 4711 …"],
    requests: 52,
  },
  {
    name: "Research notebooks",
    source: "research",
    limits: { tokens_per_minute: 60_000, usd_per_month: 0.24 },
    models: ["gpt-4o", "mistral-large-2411", "gpt-4o"],
    prompts: [
      "Prove that merge sort needs O(n log n) comparisons, and say when that matters.",
      "Compare three ways to estimate the variance of a ratio.",
    ],
    requests: 46,
  },
  {
    name: "Customer: Acme GmbH",
    source: "acme",
    limits: { usd_per_month: 100 },
    models: ["llama-3.3-70b-versatile", "gpt-4o-mini"],
    prompts: [
      "Summarise the quarterly report in four sentences.",
      "Translate the release notes into German.",
    ],
    requests: 40,
  },
];

/** As long as a name may be, and without a place to break it. */
const LONG_NAME =
  "Customer-Rhabarberbarbara-International-Holdings-GmbH-und-Co-KG/EU-central/production/batch-enrichment-of-invoices-2026-v2";

/** Creates the applications' keys, and two that are no longer in use. @returns key by application */
export async function createKeys({ send }: DemoGateway): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for (const { name, source, limits } of APPLICATIONS) {
    const { body } = await send("POST", "/admin/keys", {
      body: { name, source, limits, scopes: ["inference", "traces:read"] },
    });
    keys.set(name, String(body.key));
  }
  const long = await send("POST", "/admin/keys", {
    body: {
      name: LONG_NAME,
      source: LONG_NAME.toLowerCase(),
      scopes: ["inference"],
      limits: { requests_per_minute: 7 },
    },
  });
  for (let at = 0; at < 6; at++) {
    await send("POST", "/v1/chat/completions", {
      key: String(long.body.key),
      body: {
        model: at % 2 === 0 ? "gpt-4o-mini" : "mistral-large-2411",
        messages: [{ role: "user", content: `${LONG_NAME} ${LONG_NAME}` }],
        metadata: { [LONG_NAME.slice(0, 60)]: LONG_NAME, tenant: LONG_NAME },
      },
    });
  }
  const old = await send("POST", "/admin/keys", { body: { name: "Prototype", scopes: ["inference"] } });
  await send("DELETE", `/admin/keys/${String(old.body.id)}`);
  const inDays = new Date(Date.now() + 12 * 86_400_000).toISOString();
  await send("POST", "/admin/keys", {
    body: {
      name: "Workshop participants",
      scopes: ["inference"],
      expires_at: inDays,
      limits: { usd_per_month: 5 },
    },
  });
  return keys;
}

/** Sends the requests of all applications, in turn, and decisions without execution between them. */
export async function sendRequests(
  { send }: DemoGateway,
  { keys, share }: { readonly keys: ReadonlyMap<string, string>; readonly share: number },
): Promise<void> {
  const most = Math.max(...APPLICATIONS.map(({ requests }) => requests));
  for (let at = 0; at < most * share; at++) {
    for (const application of APPLICATIONS.filter(({ requests }) => at < requests * share)) {
      await send("POST", ...requestOf(application, { at, key: keys.get(application.name) ?? "" }));
    }
  }
}

function requestOf(
  { models, prompts, source }: Application,
  { at, key }: { readonly at: number; readonly key: string },
): [path: string, options: { readonly key: string; readonly body: unknown }] {
  const messages = [{ role: "user", content: prompts[at % prompts.length] ?? "" }];
  const metadata = { session: `${source}-${Math.floor(at / 6)}`, tenant: at % 3 === 0 ? "north" : "south" };
  const common = { messages, metadata, max_tokens: 800 };
  if (at % 8 === 7) return ["/v1/router", { key, body: { ...common, execute: false, cost_weight: 0.4 } }];
  if (at % 5 === 4) return ["/v1/router", { key, body: { ...common, cost_weight: 0.3 } }];
  const model = models[at % models.length];
  return ["/v1/chat/completions", { key, body: { ...common, model } }];
}

/** Two routed turns about one order, with a tool call between them. */
export async function sendConversation({ send }: DemoGateway): Promise<void> {
  const common = { model: "auto", router: { cost_weight: 0.3 }, metadata: { order: 88213 } };
  const opening = [
    { role: "system", content: "You are the support bot of a shop. Be brief and friendly." },
    { role: "user", content: "Where is my order 88213? It should have been here on Monday." },
  ];
  const chat = (messages: readonly object[]) =>
    send("POST", "/v1/chat/completions", { body: { ...common, messages } });
  const { body } = await chat(opening);
  const [choice] = body.choices as readonly { readonly message: { readonly content: string } }[];
  const call = { name: "find_order", arguments: '{"order":88213}' };
  await chat([
    ...opening,
    { role: "assistant", content: choice?.message.content },
    { role: "user", content: "Please look it up." },
    { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: call }] },
    { role: "tool", tool_call_id: "call_1", content: '{"state":"on its way","expected":"2026-11-24"}' },
  ]);
}
