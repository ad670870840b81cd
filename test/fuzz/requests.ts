/** Requests that use much of each API at once. */

export const GPT = "gpt-4o-mini";
/** Of a provider that is asked in OpenAI's Responses API itself. */
export const LAB = "lab-model";
export const CLAUDE = "claude-sonnet-4-6";

const SCHEMA = {
  type: "object",
  properties: { a: { type: "integer", minimum: 1 } },
  required: ["a"],
  additionalProperties: false,
};
const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FUNCTION = { name: "f", description: "adds", parameters: SCHEMA };

const CHAT = {
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is it?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}`, detail: "low" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a": 1}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "2" },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "function", function: FUNCTION }],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_tokens: 100,
  temperature: 0.5,
  stop: ["end"],
  response_format: { type: "json_schema", json_schema: { name: "s", schema: SCHEMA, strict: true } },
  metadata: { tenant: "a", count: 1 },
  user: "u",
  seed: 1,
};

const MESSAGES = {
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is it?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "2" }] }],
    },
  ],
  tools: [{ name: "f", description: "adds", input_schema: SCHEMA }],
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  max_tokens: 2000,
  stop_sequences: ["end"],
  metadata: { user_id: "u" },
  thinking: { type: "enabled", budget_tokens: 1024 },
};

const RESPONSES = {
  instructions: "Be brief.",
  input: [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "What is it?" },
        { type: "input_image", image_url: `data:image/png;base64,${IMAGE}`, detail: "low" },
      ],
    },
    { type: "function_call", call_id: "call_1", name: "f", arguments: '{"a": 1}' },
    { type: "function_call_output", call_id: "call_1", output: "2" },
    { role: "assistant", content: [{ type: "output_text", text: "Two." }] },
    { role: "user", content: "And now?" },
  ],
  tools: [{ type: "function", ...FUNCTION, strict: true }],

  tool_choice: "auto",
  max_output_tokens: 100,
  temperature: 0.5,
  store: false,
  metadata: { tenant: "a" },
  text: { format: { type: "json_schema", name: "s", schema: SCHEMA, strict: true } },
};

/** Groups of tools, a custom one, and a conversation to be compacted. */
const AGENT = {
  input: [
    {
      type: "additional_tools",
      role: "developer",
      tools: [{ type: "namespace", name: "n", tools: RESPONSES.tools }],
    },
    ...RESPONSES.input,
    { type: "custom_tool_call", call_id: "call_2", name: "c", namespace: "n", input: "x" },
    { type: "custom_tool_call_output", call_id: "call_2", output: "y" },
    { type: "compaction", encrypted_content: "conversation_summary:SGVsbG8=" },
    { type: "compaction_trigger" },
  ],
  tools: [
    { type: "custom", name: "c", format: { type: "grammar", syntax: "lark", definition: "start: /x/" } },
  ],
};

export interface FuzzedRequest {
  readonly route: string;
  readonly body: object;
}

const ofModels = (route: string, body: object): FuzzedRequest[] =>
  [GPT, CLAUDE, LAB].flatMap((model) =>
    [false, true].map((stream) => ({ route, body: { model, stream, ...body } })),
  );

export const REQUESTS: readonly FuzzedRequest[] = [
  ...ofModels("/v1/chat/completions", CHAT),
  ...ofModels("/v1/messages", MESSAGES),
  ...ofModels("/v1/responses", RESPONSES),
  ...ofModels("/v1/responses", AGENT),
  ...[false, true].map((stream) => ({
    route: "/v1/responses",
    body: { ...RESPONSES, model: LAB, stream, tools: [{ type: "web_search" }, ...RESPONSES.tools] },
  })),
  {
    route: "/v1/router",
    body: { messages: CHAT.messages, models: [GPT, CLAUDE], cost_weight: 0.3, constraints: {} },
  },
  {
    route: "/v1/completions",
    body: { model: "gpt-3.5-turbo-instruct", prompt: "Once", max_tokens: 10, logprobs: 1, echo: true },
  },
  { route: "/v1/completions", body: { model: CLAUDE, prompt: "Once", max_tokens: 10, stream: true } },
  {
    route: "/v1/embeddings",
    body: { model: "text-embedding-3-small", input: ["Hi"], dimensions: 3, encoding_format: "float" },
  },
  { route: "/v1/messages/count_tokens", body: { model: CLAUDE, ...MESSAGES } },
];
