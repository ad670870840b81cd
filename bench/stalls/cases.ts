/** Work that is large for one request or for the whole process, and that other requests must not wait for. */

const EMBEDDINGS = 2_048;
/** Of 1,536 numbers, in the form that OpenAI's SDKs ask for. */
const VECTOR = Buffer.from(
  Float32Array.from({ length: 1_536 }, (_, index) => Math.sin(index)).buffer,
).toString("base64");

/** A running gateway, as cases use it. */
export interface Gateway {
  /** Fails unless the gateway answers with `status`; the body has been read. */
  call(path: string, options: Call): Promise<void>;
  /** Leaves the answer unread for a second, and goes. */
  leaveUnread(path: string, options: Call): Promise<void>;
}

interface Call {
  readonly body?: unknown;
  /** Default 200. */
  readonly status?: number;
}

export interface StallCase {
  readonly id: string;
  readonly label: string;
  /** Where its traces are; default `duckdb`. */
  readonly store?: "clickhouse";
  run(gateway: Gateway): Promise<void>;
}

const chat = (message: object): object => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", ...message }],
});

/** The upstream answers a prompt that begins with this with a text of so many megabytes. */
const LARGE_REPLY = "Megabytes: ";
/** It answers these prompts with a usage of so many members, and with an error that looks like an address all over. */
const WIDE_USAGE = "Members: 200000";
const HOSTILE_ERROR = "Refuse this.";
const UNREAD_STREAMS = 20;
/** Of 16 kB each. */
export const STREAM_EVENTS = 1_000;

/** Every prompt is new, so that no cache has its decision. */
let counter = 0;
const prompt = (): string => `Summarise report ${counter++} for the board, and name its three largest risks.`;

/** In the order in which they are measured. */
export const CASES: readonly StallCase[] = [
  {
    ...{ id: "small", label: "a chat completion and a decision, small" },
    async run({ call }) {
      await call("/v1/chat/completions", { body: chat({ content: prompt() }) });
      await call("/v1/router", { body: { execute: false, messages: [{ role: "user", content: prompt() }] } });
    },
  },
  {
    ...{ id: "reload", label: "profiles, keys and settings read anew" },
    run: ({ call }) => call("/admin/reload", { body: {} }),
  },
  {
    ...{ id: "calibration", label: "the first decision among other models" },
    run: ({ call }) =>
      call("/v1/router", {
        body: { messages: [{ role: "user", content: prompt() }], models: someModels(), cost_weight: 0.4 },
      }),
  },
  {
    ...{ id: "metadata", label: "a body with 300,000 keys of metadata, refused" },
    run: ({ call }) =>
      call("/v1/router", {
        body: {
          messages: [{ role: "user", content: prompt() }],
          metadata: Object.fromEntries(Array.from({ length: 300_000 }, (_, key) => [`k${key}`, 1])),
        },
        status: 400,
      }),
  },
  {
    ...{ id: "parts", label: "a message of 45,000 parts" },
    run: ({ call }) =>
      call("/v1/chat/completions", {
        body: chat({ content: Array.from({ length: 45_000 }, () => ({ type: "text", text: "word " })) }),
      }),
  },
  {
    ...{ id: "long-prompt", label: "a prompt of 900 kB" },
    run: ({ call }) =>
      call("/v1/router", {
        body: { messages: [{ role: "user", content: `${prompt()} ${"lorem ipsum ".repeat(75_000)}` }] },
      }),
  },
  {
    ...{ id: "large-reply", label: "a reply of 15 MB" },
    run: ({ call }) => call("/v1/chat/completions", { body: chat({ content: `${LARGE_REPLY}15` }) }),
  },
  {
    ...{ id: "wide-usage", label: "a reply whose usage has 200,000 members" },
    run: ({ call }) => call("/v1/chat/completions", { body: chat({ content: WIDE_USAGE }) }),
  },
  {
    ...{ id: "hostile-error", label: "a provider's error of 4,000 characters" },
    run: ({ call }) => call("/v1/chat/completions", { body: chat({ content: HOSTILE_ERROR }), status: 400 }),
  },
  {
    ...{ id: "long-number", label: "a body with 1,000,000 digits and a letter, refused" },
    run: ({ call }) =>
      call("/v1/chat/completions", { body: `{"seed":${"1".repeat(1_000_000)}x}`, status: 400 }),
  },
  {
    ...{ id: "unread", label: `${UNREAD_STREAMS} streams of 16 MB that nobody reads` },
    async run({ leaveUnread }) {
      const body = { ...chat({ content: prompt() }), stream: true };
      await Promise.all(
        Array.from({ length: UNREAD_STREAMS }, () => leaveUnread("/v1/chat/completions", { body })),
      );
    },
  },
  {
    ...{ id: "clickhouse", label: "an answer of ClickHouse of 100 MB, refused", store: "clickhouse" },
    run: ({ call }) => call("/admin/traces", { status: 504 }),
  },
  {
    ...{ id: "embeddings", label: `${EMBEDDINGS.toLocaleString("en")} embeddings` },
    run: ({ call }) =>
      call("/v1/embeddings", {
        body: {
          model: "text-embedding-3-small",
          encoding_format: "base64",
          input: Array.from({ length: EMBEDDINGS }, () => prompt().repeat(20)),
        },
      }),
  },
  {
    ...{ id: "export", label: "an export of all decisions" },
    run: ({ call }) => call("/admin/traces/export?format=jsonl&kind=router", {}),
  },
  {
    ...{ id: "replay", label: "past traffic decided anew" },
    run: ({ call }) => call("/admin/traces/replay?cost_weight=0.4", {}),
  },
];

let offset = 0;
const NAMED = [
  "gpt-5.5",
  "gpt-5.4-mini",
  "gpt-5.4",
  "gpt-4o-mini",
  "gpt-4.1",
  "gpt-4.1-mini",
  "o4-mini",
  "gpt-5-mini",
];

/** Another set of models at every call, so that nothing is calibrated for it yet. */
function someModels(): readonly string[] {
  offset++;
  return NAMED.filter((_, index) => index === 0 || ((offset >> index) & 1) === 0);
}

/** What the upstream says to a request, an error where it has a member `error`; nothing where it has no such path. */
export function upstreamReply(path: string, body: Record<string, unknown>): object | undefined {
  if (path.endsWith("/embeddings")) {
    const inputs = body.input as readonly unknown[];
    return {
      object: "list",
      model: body.model,
      data: inputs.map((_, index) => ({ object: "embedding", index, embedding: VECTOR })),
      usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
    };
  }
  // What has no Responses API is called by chat completions.
  if (!path.endsWith("/chat/completions")) return undefined;
  const [{ content = "" } = {}] = (body.messages ?? []) as { content?: unknown }[];
  if (content === HOSTILE_ERROR) return { error: { message: "a.".repeat(2_000) } };
  const megabytes = Number(String(content).split(LARGE_REPLY)[1] ?? 0);
  const isStream = body.stream === true;
  const text = "An answer. ".repeat(isStream ? 1_490 : megabytes * 95_325 || 1);
  const wide = Array.from({ length: content === WIDE_USAGE ? 200_000 : 0 }, (_, at) => [`k${at}_tokens`, 1]);
  return {
    id: "chatcmpl-upstream",
    ...{
      object: isStream ? "chat.completion.chunk" : "chat.completion",
      created: 1_763_600_000,
      model: "gpt-4o-mini-2024-07-18",
    },
    choices: [
      {
        index: 0,
        [isStream ? "delta" : "message"]: { role: "assistant", content: text },
        finish_reason: isStream ? null : "stop",
      },
    ],
    usage: { prompt_tokens: 24, completion_tokens: 3, total_tokens: 27, ...Object.fromEntries(wide) },
  };
}

/** What a ClickHouse says that answers every search with 100 MB. */
export const clickHouseReply = (statement: string): string =>
  /^SELECT/.test(statement) && !statement.includes("max(version)")
    ? JSON.stringify({ data: [{ matches: "7".repeat(100_000_000) }] })
    : '{"data": []}';
