/** Work that is large for one request or for the whole process, and that other requests must not wait for. */

const EMBEDDINGS = 2_048;
/** Of 1,536 numbers, in the form that OpenAI's SDKs ask for. */
const VECTOR = Buffer.from(
  Float32Array.from({ length: 1_536 }, (_, index) => Math.sin(index)).buffer,
).toString("base64");

/** A running gateway, as cases use it. */
export interface Gateway {
  /** Fails unless the gateway answers with `status`; the body has been read. */
  call(path: string, options: { readonly body?: unknown; readonly status?: number }): Promise<void>;
}

export interface StallCase {
  readonly id: string;
  readonly label: string;
  run(gateway: Gateway): Promise<void>;
}

const chat = (message: object): object => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", ...message }],
});

/** The upstream answers a prompt that begins with this with a text of so many megabytes. */
export const LARGE_REPLY = "Megabytes: ";

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

/** What the upstream says to a request; nothing where it has no such path. */
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
  const megabytes =
    typeof content === "string" && content.startsWith(LARGE_REPLY)
      ? Number(content.slice(LARGE_REPLY.length))
      : 0;
  return {
    id: "chatcmpl-upstream",
    ...{ object: "chat.completion", created: 1_763_600_000, model: "gpt-4o-mini-2024-07-18" },
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: megabytes === 0 ? "An answer." : "An answer. ".repeat(megabytes * 95_325),
        },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 24, completion_tokens: 3, total_tokens: 27 },
  };
}
