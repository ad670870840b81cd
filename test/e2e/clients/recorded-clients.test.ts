/**
 * What agents and chat interfaces send that no package of the tests sends for them, shortened: Claude Code 2.1.332, Cline 3.0.65 and
 * Continue 1.5.47 as they were seen on 2026-11-29; Zed by `crates/open_ai/src/open_ai.rs` of github.com/zed-industries/zed, Open WebUI by
 * excerpts of `backend/open_webui/routers/openai.py` of github.com/open-webui/open-webui and of forks, read 2026-11-29; LibreChat as what
 * `@langchain/openai` sends, which its agents use (a guess by github.com/danny-avila/agents).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonReply } from "../../fakes/upstream-server.js";
import { startVendorGateway, type VendorGateway } from "../../fakes/vendors/vendor-gateway.js";
import { eventsOf } from "../../gateway/server.js";
import { answerInTurn, bodySeen, messageReply } from "../replies.js";
import { callerOf, traceOf } from "../whole-gateway.js";
import { brokenRules, VENDOR_MODELS } from "./at-vendors.js";
import { type Gateway, startGateway } from "./gateway.js";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = { type: "function", function: { name: "weather", description: "Tells it", parameters } };
const asks = { role: "user", content: "What is the weather in Oslo?" };
const chat = { stream: true, stream_options: { include_usage: true }, tools: [weather], messages: [asks] };
const brief = { role: "system", content: "Be brief." };

const CHATS = {
  Cline: { body: { ...chat, tool_choice: "auto", messages: [brief, asks] } },
  Continue: { body: { ...chat, messages: [brief, asks] } },
  Zed: {
    body: {
      ...chat,
      max_completion_tokens: 1024,
      parallel_tool_calls: false,
      tool_choice: "auto",
      prompt_cache_key: "0199",
    },
  },
  "Open WebUI": { body: { ...chat, messages: [brief, asks] }, headers: { "x-openwebui-chat-id": "chat-1" } },
  LibreChat: { body: { ...chat, temperature: 1, top_p: 1, user: "6566", messages: [brief, asks] } },
} as const;

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly tool_calls?: readonly { id?: string; function: object }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly total_tokens: number } | null;
}

const chunksIn = (stream: string) => eventsOf(stream).filter((data) => data !== "[DONE]") as readonly Chunk[];

describe("A request as it was recorded", () => {
  let gateway: VendorGateway;
  beforeAll(async () => {
    gateway = await startVendorGateway();
  });
  afterAll(() => gateway.stop());

  it.each(Object.entries(CHATS))(
    "of %s runs a loop of tools on a model of every vendor",
    async (_name, sent) => {
      const call = callerOf(gateway.address);
      const ask = async (model: string, messages: readonly object[]) => {
        const headers = "headers" in sent ? sent.headers : {};
        const body = { ...sent.body, model, messages };
        const reply = await call("/v1/chat/completions", { headers, body });
        expect(reply.status, `${model}: ${reply.text}`).toBe(200);
        const chunks = chunksIn(reply.text);
        // Zed reads the three counts, and the stream's end from the reason.
        expect(chunks.at(-1)?.usage).toMatchObject({ total_tokens: expect.any(Number) });
        return chunks.flatMap(({ choices }) => choices);
      };
      for (const model of VENDOR_MODELS) {
        for (const { calls } of gateway.servers) calls.length = 0;
        const called = (await ask(model, sent.body.messages)).flatMap(({ delta }) => delta.tool_calls ?? []);
        const [{ id = "" } = {}] = called;
        const tool_calls = [{ ...called[0], type: "function" }];
        const loop = [
          { role: "assistant", content: null, tool_calls },
          { role: "tool", tool_call_id: id, content: "3 °C" },
        ];
        const answer = await ask(model, [...sent.body.messages, ...loop]);
        expect(answer.map(({ delta }) => delta.content ?? "").join(""), model).toContain("3 °C");
        expect(brokenRules(gateway), model).toEqual([]);
      }
    },
  );
});

/** Of a conversation on `auto`: instructions between the turns, a tool that they add, and one that a result refers to. */
const claudeCode = {
  model: "claude-haiku-4-5",
  max_tokens: 32_000,
  tools: ["search", "fetch", "docs"].map((name) => ({
    name,
    input_schema: { type: "object" },
    ...(name !== "search" && { defer_loading: true }),
  })),
  messages: [
    { role: "user", content: "Hello" },
    {
      role: "system",
      content: [
        { type: "text", text: "# Environment" },
        { type: "tool_addition", tool: { type: "tool_reference", name: "fetch" } },
      ],
      output_config: { effort: "low" },
    },
  ],
};
const betas = { "anthropic-beta": "claude-code-20250219,mid-conversation-tool-changes-2026-07-01" };
const refused = (message: string) =>
  jsonReply({ type: "error", error: { type: "invalid_request_error", message } }, { status: 400 });

describe("Claude Code's request", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({});
  });
  afterAll(() => gateway.stop());

  it("passes at an older Claude, which refuses what only newer ones take, and is asked so from then on", async () => {
    const words =
      "Unexpected value(s) `mid-conversation-tool-changes-2026-07-01` for the `anthropic-beta` header.";
    answerInTurn(
      gateway.anthropic,
      refused(words),
      refused("role 'system' is not supported on this model"),
      messageReply([{ type: "text", text: "Hi." }]),
      messageReply([{ type: "text", text: "Hi." }]),
    );
    const headers = { ...betas, "x-claude-code-session-id": "session-1" };
    for (const requests of [3, 4]) {
      const reply = await gateway.call("/v1/messages", { body: claudeCode, headers });
      expect(reply.status, reply.text).toBe(200);
      expect(gateway.anthropic.requests).toHaveLength(requests);
      expect(gateway.anthropic.lastRequest.headers["anthropic-beta"]).toBe("claude-code-20250219");
      expect(bodySeen(gateway.anthropic)).toMatchObject({
        tools: [{ name: "search" }, { name: "fetch" }],
        messages: [{ role: "user" }, { role: "user", content: [{ type: "text" }] }],
      });
      expect(await traceOf(gateway.call, reply.requestId)).toMatchObject({
        metadata: { conversation_id: "session-1" },
      });
    }
    const path = "/v1/traces?metadata.conversation_id=session-1";
    const { traces } = (await gateway.call(path)).json();
    const nanoDollars = (usd: number) => Math.round(usd * 1e9);
    const sum = traces.reduce(
      (total: number, { cost_usd }: { cost_usd: number }) => total + nanoDollars(cost_usd),
      0,
    );
    const cost = (await gateway.call("/v1/conversations/session-1/cost")).json();
    expect(traces).toHaveLength(2);
    expect(nanoDollars(cost.cost_usd)).toBe(sum);
  });
});
