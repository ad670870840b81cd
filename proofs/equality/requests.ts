import { createHmac } from "node:crypto";
import { FAULTY_MODELS } from "./world.js";

type Body = Readonly<Record<string, unknown>>;

export interface Sent {
  /** Unique: what the two records are compared by. */
  readonly name: string;
  readonly method: string;
  /** `{{name: path.to.value}}` stands for a value of the earlier reply of that name; in bodies and headers too. */
  readonly path: string;
  readonly body?: Body | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MODELS = [
  ...["gpt-5.4-mini", "gpt-4.1", "claude-haiku-4-5", "gemini-2.5-flash", "mistral/mistral-small-latest"],
  ...["deepseek/deepseek-chat", "x-ai/grok-4", "openrouter/openai/gpt-4.1", "support-bot"],
  ...["auto", "auto:economy", "auto:few", "auto:0.8"],
];
const SOME_MODELS = ["gpt-5.4-mini", "claude-haiku-4-5", "deepseek/deepseek-chat", "auto"];
const NO_MODELS = [
  "no-such-model",
  "nowhere/gpt-4.1",
  "auto:no-such-preset",
  "embedder",
  "base",
  "gpt-3.5-turbo-0301",
];

const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const FUNCTION = { name: "weather", description: "The weather in a city", parameters: PARAMETERS };
const ASKED = "What is the weather in Oslo?";
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CALL = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
const user = (content: unknown = ASKED): Body => ({ role: "user", content });

const CHAT: Readonly<Record<string, Body>> = {
  plain: {},
  turns: {
    messages: [
      { role: "system", content: "Be brief." },
      ...[
        user("Prove that there are infinitely many primes."),
        { role: "assistant", content: "Yes." },
        user("And twins?"),
      ],
    ],
  },
  tools: { tools: [{ type: "function", function: FUNCTION }] },
  "forced tool": {
    tools: [{ type: "function", function: FUNCTION }],
    tool_choice: { type: "function", function: { name: "weather" } },
  },
  "tool result": {
    tools: [{ type: "function", function: FUNCTION }],
    messages: [
      user(),
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1", content: "3" },
    ],
  },
  schema: {
    response_format: { type: "json_schema", json_schema: { name: "w", strict: true, schema: PARAMETERS } },
  },
  image: {
    messages: [
      user([
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: PIXEL } },
      ]),
    ],
  },
  sampling: { temperature: 0.3, top_p: 0.9, stop: ["x"], seed: 7, max_tokens: 100, frequency_penalty: 0.1 },
  effort: { reasoning_effort: "high", max_completion_tokens: 3000 },
  several: { n: 2, logprobs: true, top_logprobs: 2, user: "someone" },
  tagged: { metadata: { conversation_id: "c1", team: "red", count: 3 } },
  fallbacks: { fallbacks: ["steady", "claude-haiku-4-5"], provider: { sort: "price" } },
  hosts: { provider: { only: ["openai", "anthropic"], data_collection: "deny" } },
  router: { router: { cost_weight: 0.5, models: ["gpt-5.4-mini", "claude-haiku-4-5", "gemini-2.5-flash"] } },
  usage: { stream_options: { include_usage: true } },
};

const MESSAGES: Readonly<Record<string, Body>> = {
  plain: {},
  system: {
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    stop_sequences: ["x"],
  },
  tools: { tools: [{ name: "weather", input_schema: PARAMETERS }], tool_choice: { type: "auto" } },
  "tool result": {
    tools: [{ name: "weather", input_schema: PARAMETERS }],
    messages: [
      ...[
        user(),
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } }],
        },
      ],
      user([{ type: "tool_result", tool_use_id: "toolu_1", content: "3" }]),
    ],
  },
  thinking: { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 3000 },
  tagged: { metadata: { user_id: "someone" }, temperature: 0.2 },
};

const RESPONSES: Readonly<Record<string, Body>> = {
  plain: {},
  items: {
    input: [{ role: "user", content: [{ type: "input_text", text: ASKED }] }],
    instructions: "Be brief.",
  },
  tools: { tools: [{ type: "function", ...FUNCTION }] },
  "tool result": {
    tools: [{ type: "function", ...FUNCTION }],
    input: [
      ...[
        user(),
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
      ],
      { type: "function_call_output", call_id: "call_1", output: "3" },
    ],
  },
  reasoning: {
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    store: false,
  },
  stored: { store: true, metadata: { a: "b" } },
  format: {
    text: { format: { type: "json_schema", name: "w", schema: PARAMETERS, strict: true } },
    max_output_tokens: 200,
  },
};

const COMPLETIONS: Readonly<Record<string, Body>> = {
  plain: {},
  list: { prompt: ["One", "Two"], max_tokens: 5 },
  more: { echo: true, logprobs: 1, best_of: 1, suffix: "end", stop: "x", n: 2 },
};

const EMBEDDINGS: Readonly<Record<string, Body>> = {
  plain: {},
  list: { input: ["a", "b"], encoding_format: "base64" },
  tokens: { input: [1, 2, 3], dimensions: 256, user: "someone" },
};

const ROUTER: Readonly<Record<string, Body>> = {
  decided: { execute: false },
  explained: { execute: false, explain: true },
  weighed: { execute: false, cost_weight: 0.9, explain: true },
  among: { execute: false, models: ["gpt-5.4-mini", "claude-haiku-4-5", "no-such-model"] },
  bounded: { execute: false, max_mean_cost_usd: 0.001, max_latency_ms: 3000, latency_weight: 0.3 },
  conversation: { execute: false, sticky: true, conversation: "c2" },
  run: { models: ["gpt-5.4-mini", "gpt-4.1"], max_tokens: 200 },
  streamed: { models: ["gpt-5.4-mini"], stream: true },
  image: { execute: false, messages: CHAT.image?.messages },
};

/** The least body of each POST operation, which the tables above are laid over. */
const LEAST: Readonly<Record<string, Body>> = {
  "/v1/chat/completions": { messages: [user()] },
  "/v1/messages": { messages: [user()], max_tokens: 500 },
  "/v1/messages/count_tokens": { messages: [user()] },
  "/v1/responses": { input: ASKED },
  "/v1/completions": { prompt: "Once upon a time" },
  "/v1/embeddings": { input: "Once upon a time" },
  "/v1/router": { messages: [user()] },
  "/v1/feedback": { request_id: "{{chat plain auto: request_id}}", score: 0.7, comment: "good" },
  "/admin/keys": { name: "made", scopes: ["inference"], team: "red" },
  "/admin/pauses": { kind: "model", target: "gpt-4.1", reason: "a test" },
  "/admin/router/explain": { messages: [user()] },
};

const post = (name: string, path: string, body: Body | string, headers: Sent["headers"] = {}): Sent => ({
  ...{ name, method: "POST", path, headers },
  body: typeof body === "string" ? body : { ...LEAST[path], ...body },
});
const get = (name: string, path: string, headers: Sent["headers"] = {}): Sent => ({
  name,
  method: "GET",
  path,
  headers,
});

const FORMS = [{}, { stream: true }] as const;

/** Every form of a table to every model, whole and streamed. */
const crossed = (
  name: string,
  path: string,
  { table, models }: { readonly table: Readonly<Record<string, Body>>; readonly models: readonly string[] },
): readonly Sent[] =>
  Object.entries(table).flatMap(([form, body]) =>
    models.flatMap((model) =>
      FORMS.map((streamed) =>
        post(`${name} ${form} ${model}${"stream" in streamed ? " streamed" : ""}`, path, {
          model,
          ...body,
          ...streamed,
        }),
      ),
    ),
  );

const plain = { plain: {} };
const FAULTS = [
  ...crossed("faulty chat", "/v1/chat/completions", { table: plain, models: FAULTY_MODELS }),
  ...crossed("faulty messages", "/v1/messages", { table: plain, models: FAULTY_MODELS }),
  ...crossed("faulty responses", "/v1/responses", { table: plain, models: FAULTY_MODELS }),
  ...crossed("faulty with fallback", "/v1/chat/completions", {
    table: { plain: { fallbacks: ["steady"] } },
    models: ["failing", "limited", "unauthorized", "refusing", "filtering", "too-long", "broken", "empty"],
  }),
];

const token = (claims: Body): string => {
  const part = (value: Body) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const secret = "a secret of at least thirty-two characters";
  return `Bearer ${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
};
const EXPIRES = Date.UTC(2030, 0) / 1000;
const CALLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nobody: { "x-api-key": "" },
  "a wrong key": { "x-api-key": `${"pk_live_"}${"x".repeat(44)}` },
  "no key of ours": { "x-api-key": "sk-abc" },
  "a limited key": { "x-api-key": "{{make limited key: key}}" },
  "a token": {
    "x-api-key": "",
    authorization: token({ sub: "u1", scope: "inference traces:read", exp: EXPIRES }),
  },
  "a token without scope": { "x-api-key": "", authorization: token({ sub: "u1", exp: EXPIRES }) },
  "an old token": { "x-api-key": "", authorization: token({ sub: "u1", scope: "inference", exp: 1 }) },
};

const KEYS: readonly Sent[] = [
  post("make key", "/admin/keys", {}),
  post("make limited key", "/admin/keys", {
    name: "limited",
    scopes: ["inference", "traces:read"],
    limits: { requests_per_minute: 2, usd_per_month: 1 },
    cost_weight: 0.6,
  }),
  get("list keys", "/admin/keys"),
  {
    name: "change key",
    method: "PATCH",
    path: "/admin/keys/{{make key: id}}",
    body: { name: "changed", team: "blue", cost_weight: 0.3 },
  },
  post("rotate key", "/admin/keys/{{make key: id}}/rotate", { grace_seconds: 60 }),
  ...Object.entries(CALLERS).flatMap(([who, headers]) => [
    post(`chat by ${who}`, "/v1/chat/completions", { model: "steady" }, headers),
    post(`auto by ${who}`, "/v1/chat/completions", { model: "auto" }, headers),
    post(`decision by ${who}`, "/v1/router", { execute: false }, headers),
    get(`traces by ${who}`, "/v1/traces", headers),
    get(`keys by ${who}`, "/admin/keys", headers),
  ]),
  { name: "revoke key", method: "DELETE", path: "/admin/keys/{{make key: id}}" },
  { name: "revoke key again", method: "DELETE", path: "/admin/keys/{{make key: id}}" },
];

const BUDGETS = ["tiny", "slow", "thrifty"].flatMap((source) =>
  [1, 2, 3].flatMap((time) => [
    post(`${source} chat ${time}`, "/v1/chat/completions", { model: "steady" }, { "x-source": source }),
    post(`${source} auto ${time}`, "/v1/chat/completions", { model: "auto" }, { "x-source": source }),
  ]),
);

const PAUSES: readonly Sent[] = [
  post("pause model", "/admin/pauses", {}),
  post("pause with redirect", "/admin/pauses", {
    target: "gpt-5.4-mini",
    redirect_to: "steady",
    ends_at: null,
  }),
  post("pause provider", "/admin/pauses", { kind: "provider", target: "anthropic" }),
  get("list pauses", "/admin/pauses"),
  ...crossed("paused chat", "/v1/chat/completions", {
    table: plain,
    models: ["gpt-4.1", "gpt-5.4-mini", "claude-haiku-4-5", "auto"],
  }),
  ...["pause model", "pause with redirect", "pause provider"].map((name) => ({
    ...{ name: `end: ${name}`, method: "DELETE", path: `/admin/pauses/{{${name}: id}}` },
  })),
];

/** Turns of one conversation, which `auto` answers with the model it began with. */
const CONVERSATION = [1, 2, 3].map((turn) =>
  post(`conversation turn ${turn}`, "/v1/chat/completions", {
    model: "auto",
    metadata: { conversation_id: "talk" },
    messages: [
      user("Plan a week in Rome."),
      ...(turn > 1 ? [{ role: "assistant", content: "It is 3 °C." }, user("And then?")] : []),
    ],
  }),
);

const STORED: readonly Sent[] = [
  post("keep response", "/v1/responses", { model: "gpt-5.4-mini", store: true }),
  post("continue response", "/v1/responses", {
    model: "gpt-5.4-mini",
    previous_response_id: "{{keep response: id}}",
  }),
  post("continue elsewhere", "/v1/responses", {
    model: "claude-haiku-4-5",
    previous_response_id: "{{keep response: id}}",
  }),
  post("continue nothing", "/v1/responses", { model: "gpt-5.4-mini", previous_response_id: "resp_unknown" }),
  post("background response", "/v1/responses", { model: "gpt-5.4-mini", background: true, store: true }),
  ...["", "/input_items"].map((part) =>
    get(`kept response${part}`, `/v1/responses/{{keep response: id}}${part}`),
  ),
  post("cancel response", "/v1/responses/{{background response: id}}/cancel", {}),
  { name: "delete response", method: "DELETE", path: "/v1/responses/{{keep response: id}}" },
  get("deleted response", "/v1/responses/{{keep response: id}}"),
];

const LISTS = [
  ...[
    "/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/models",
    "/v1/models/gpt-5.4-mini",
    "/v1/models/auto",
    "/v1/models/none",
  ],
  ...[
    "/v1/providers",
    "/v1/providers?model=gpt-4.1",
    "/v1/router/profiles",
    "/v1/router/cost-weights",
    "/admin/providers",
  ],
  ...[
    "/admin/budgets",
    "/admin/alerts",
    "/admin/comparisons",
    "/admin/events",
    "/admin/events?kind=key.created",
    "/admin/refusals",
  ],
  ...[
    "/admin/attention",
    "/admin/keys",
    "/admin/pauses",
    "/admin/router/benchmark-scores",
    "/admin/router/report",
    "/v1/nothing",
  ],
];

const FILTERS = [
  ...[
    "limit=3",
    "limit=3&offset=2",
    "model_id=steady",
    "provider=openai",
    "status=error",
    "kind=chat",
    "source=slow",
    "effort=high",
  ],
  ...[
    "error_code=rate_limited",
    "attempt_code=rate_limited",
    "executed=false",
    "has_feedback=true",
    "other_model=true",
  ],
  ...[
    "tool_loop=stuck",
    "q=Oslo",
    "metadata.team=red",
    "start_date=2026-11-28",
    "end_date=2026-11-28T12:00:02Z",
  ],
];
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "/v1/traces": FILTERS,
  "/admin/traces": [...FILTERS, "sort=cost_usd&order=desc&limit=5"],
  "/admin/traces/stats": [
    "",
    ...["model", "provider", "source", "key", "kind", "effort", "preset", "day"].map((by) => `by=${by}`),
  ],
  "/admin/traces/series": ["step=hour", "step=hour&by=model&top=3"].map(
    (query) => `start_date=2026-11-28T11:00:00Z&${query}`,
  ),
  "/admin/traces/values": [""],
  "/admin/traces/causes": ["", "status=error"],
  "/admin/traces/conversation": ["", "metadata.conversation_id=talk"],
  "/admin/traces/replay": ["cost_weight=0.2,0.8&sample=2000"],
  "/admin/traces/savings": [""],
  "/admin/traces/export": ["format=csv&model_id=steady"],
};
const TRACES: readonly Sent[] = [
  post("feedback", "/v1/feedback", {}),
  post("feedback to nothing", "/v1/feedback", { request_id: "req_00000000000000000000000000" }),
  ...Object.entries(QUESTIONS).flatMap(([path, queries]) =>
    queries.map((query) => get(`${path}?${query}`, query === "" ? path : `${path}?${query}`)),
  ),
  ...["/v1/traces", "/admin/traces"].map((path) =>
    get(`one of ${path}`, `${path}/{{chat plain auto: request_id}}`),
  ),
  post("route again", "/admin/traces/{{chat plain auto: request_id}}/route", { cost_weight: 0.9 }),
];

/** A document of OpenAPI, as far as it is read. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}
interface ApiOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly properties?: Readonly<Record<string, unknown>> } }>
    >;
  };
}

/** Each field and parameter of the document with values that it cannot have, and bodies that are none. */
function mistakes({ paths }: ApiDocument): readonly Sent[] {
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([verb, { parameters = [], requestBody }]) => {
      const method = verb.toUpperCase();
      const path = template.replace("{model}", "steady").replaceAll(/\{\w+\}/g, "nothing");
      const fields = Object.keys(requestBody?.content["application/json"]?.schema.properties ?? {});
      const model = fields.includes("model") ? { model: "steady" } : {};
      const named = `mistake: ${method} ${template}`;
      const bad = (what: string, body: Body | string): Sent => ({
        ...post(`${named} ${what}`, path, body),
        method,
      });
      const withField = (value: unknown) =>
        fields.map((field) => bad(`${field} ${JSON.stringify(value)}`, { ...model, [field]: value }));
      const queries = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      return [
        ...(method === "GET"
          ? []
          : [
              bad("nothing", "{}"),
              bad("no JSON", "{no"),
              bad("a list", "[]"),
              bad("unknown", { ...model, colour: 1 }),
            ]),
        ...[{ odd: 1 }, -7, "€"].flatMap(withField),
        ...queries.map((name) => ({ ...get(`${named} ${name}`, `${path}?${name}=%E2%82%AC`), method })),
        ...(queries.length > 0 ? [{ ...get(`${named} unknown`, `${path}?colour=red`), method }] : []),
      ];
    }),
  );
}

/** All requests, in the order in which they are sent, to a gateway with this document. */
export const requestsFor = (document: ApiDocument): readonly Sent[] => [
  ...crossed("chat", "/v1/chat/completions", { table: CHAT, models: MODELS }),
  ...crossed("chat", "/v1/chat/completions", { table: plain, models: NO_MODELS }),
  ...crossed("messages", "/v1/messages", { table: MESSAGES, models: SOME_MODELS }),
  ...crossed("responses", "/v1/responses", { table: RESPONSES, models: SOME_MODELS }),
  ...crossed("completions", "/v1/completions", { table: COMPLETIONS, models: ["base", "steady", "auto"] }),
  ...Object.entries(EMBEDDINGS).flatMap(([form, body]) =>
    ["embedder", "gpt-4.1"].map((model) =>
      post(`embeddings ${form} ${model}`, "/v1/embeddings", { model, ...body }),
    ),
  ),
  ...SOME_MODELS.map((model) => post(`count ${model}`, "/v1/messages/count_tokens", { model })),
  ...Object.entries(ROUTER).map(([form, body]) => post(`router ${form}`, "/v1/router", body)),
  post("explain", "/admin/router/explain", { runnable_only: true, cost_weight: 0.4 }),
  ...FAULTS,
  ...KEYS,
  ...BUDGETS,
  ...PAUSES,
  ...CONVERSATION,
  ...STORED,
  post("redacted", "/v1/chat/completions", { model: "steady", messages: [user("my number is redact-1234")] }),
  ...["openai", "elsewhere", "nowhere"].map((id) => post(`test ${id}`, `/admin/providers/${id}/test`, {})),
  post("reload", "/admin/reload", {}),
  ...LISTS.map((path) => get(`list ${path}`, path)),
  ...TRACES,
  ...mistakes(document),
];
