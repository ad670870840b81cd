import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChatRequestBody } from "../../../../src/gateway/api/chat-request.js";
import { agentCallOf } from "../../../../src/gateway/features/agent-rules/agent-call.js";
import { CHAT, inferenceRequest } from "../../../../src/gateway/features/chat/inference-request.js";
import { loadSettings } from "../../../../src/gateway/settings/load-settings.js";
import { settingsSchema } from "../../../../src/gateway/settings.js";
import { folderForTest } from "../../../support/folders.js";
import { serverLimits } from "../../../support/server-limits.js";
import { KEY, post, startTestServer } from "../../server.js";

const user = (content: unknown) => ({ role: "user", content });
const system = (content: unknown) => ({ role: "system", content });
const text = (said: string) => ({ type: "text", text: said });
const hello = { messages: [user("hello")] };
/** As Claude Code begins every system prompt. */
const BILLING = text("x-anthropic-billing-header: cc_version=2.1.197.123; cc_entrypoint=sdk-cli;");
const COMPACT =
  "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read.\n\nYour task is to create a detailed summary of the conversation so far.";

describe("What a coding agent asks for", () => {
  const CHECKPOINT = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create";
  it.each(
    Object.entries<readonly (readonly [body: object, headers?: Record<string, string>])[]>({
      none: [
        [hello],
        [{ messages: [user("Write: You are a title generator.")] }],
        // The Responses API takes a text for the whole input.
        [{ input: "hello" }],
      ],
      title: [
        // opencode
        [{ messages: [system("You are a title generator. You output ONLY a title."), user("hi")] }],
        // Claude Code
        [{ system: [BILLING, text("Generate a concise, sentence-case title (3-7 words)")], ...hello }],
      ],
      // opencode
      summary: [[{ messages: [system("Summarize what was done in this conversation. Write"), user("hi")] }]],
      compaction: [
        // opencode
        [{ messages: [system([text("You are a context summarization agent. You")]), user("hi")] }],
        // Claude Code
        [{ system: "You are a Claude agent", messages: [user("hi"), user([text("hi"), text(COMPACT)])] }],
        // Codex
        [{ instructions: "You are Codex", input: [user([{ type: "input_text", text: CHECKPOINT }])] }],
        // OpenAI
        [{ input: [user("hi"), { type: "compaction_trigger" }] }],
        [{ messages: [user(COMPACT)] }, { "x-parent-session-id": "ses_1" }],
      ],
      "sub-agent": [
        // Claude Code, Codex, opencode
        [hello, { "x-claude-code-agent-id": "a1" }],
        [{ input: [user("hi")] }, { "x-openai-subagent": "review" }],
        [hello, { "x-parent-session-id": "ses_1" }],
      ],
    }),
  )("is read as %s from %j", (call, requests) => {
    for (const [body, headers = {}] of requests)
      expect(agentCallOf(headers, { ...body }) ?? "none", JSON.stringify(body)).toBe(call);
  });
});

describe("Rules for what agents ask for", () => {
  const agentRules = [
    { when: "sub-agent", use: "auto:0.6" },
    { when: "title", use: "gpt-5.4-nano" },
  ] as const;
  const { app, inference } = startTestServer({ limits: serverLimits({ agentRules, maxBodyBytes: 100_000 }) });
  const asked = async (body: object, headers: Record<string, string> = {}) => {
    inference.runs.length = 0;
    const { statusCode, body: answer } = await post(app, "/v1/chat/completions", {
      payload: body,
      headers: { ...headers, "x-api-key": KEY },
    });
    expect(statusCode, answer).toBe(200);
    return inference.runs[0]?.request;
  };
  const subAgent = { "x-claude-code-agent-id": "a1" };
  const title = { messages: [system("You are a title generator. Only"), user("hi")] };

  it("name the model in the place of the one that is asked for", async () => {
    expect(await asked({ model: "claude-opus-5", ...hello }, subAgent)).toMatchObject({
      requestedModel: "claude-opus-5",
      choice: { type: "routed", costWeight: 0.6, note: "asked for claude-opus-5; sub-agent rule" },
    });
    expect(
      await asked({ model: "auto", router: { cost_weight: 0 }, provider: "openai", ...title }),
    ).toMatchObject({
      requestedModel: "auto",
      choice: { type: "named", model: "gpt-5.4-nano", provider: undefined },
    });
  });

  it("keep which hosts may see a request, and its conversation", async () => {
    const provider = { data_collection: "deny" };
    const router = { conversation: "c-1", cost_weight: 0 };
    const own = { conversation: { name: "c-1" }, hosts: { data_collection: "deny" } };
    const asks = { ...hello, provider, router, model: "auto" };
    expect(await asked(asks, subAgent)).toMatchObject({
      choice: { type: "routed", costWeight: 0.6, ...own },
    });
    expect(await asked({ ...asks, ...title })).toMatchObject({
      choice: { type: "named", model: "gpt-5.4-nano", ...own },
    });
  });

  it("ask for nothing that a key may not have", async () => {
    const caps = { min_cost_weight: 0.7, allowed_models: ["claude-*"] };
    const choice = (body: object, headers: Record<string, string>) =>
      inferenceRequest(CHAT, body as ChatRequestBody, {
        settings: { agentRules, autoCostWeight: 0.2, presets: [] },
        ...{ weightHeader: undefined, keyWeight: null, session: undefined, caps, headers },
      }).choice;
    expect(choice({ model: "claude-opus-5", ...title }, {})).toMatchObject({ model: "claude-opus-5" });
    expect(choice({ model: "claude-opus-5", ...hello }, subAgent)).toMatchObject({ costWeight: 0.6 });
  });

  it("leave the user's turns alone, and what no rule is for", async () => {
    const compaction = { messages: [user(COMPACT)] };
    for (const body of [hello, compaction]) {
      const request = await asked({ model: "claude-opus-5", ...body });
      expect(request).toMatchObject({ choice: { type: "named", model: "claude-opus-5" } });
      expect(request).not.toHaveProperty("requestedModel");
    }
  });
});

describe("The setting `agent_rules`", () => {
  const read = (agentRules: unknown) => settingsSchema.parse({ agentRules }).agentRules;
  it("is empty, the usual rules, or a list", () => {
    expect(read(undefined)).toEqual([]);
    expect(read("usual").map(({ when }) => when)).toEqual(["title", "summary", "sub-agent", "compaction"]);
    expect(read([{ when: "title", use: "a" }])).toEqual([{ when: "title", use: "a" }]);
  });

  it("names presets that exist", () => {
    const folder = folderForTest();
    const write = (file: object) => writeFileSync(join(folder, "sextant.config.json"), JSON.stringify(file));
    const agent_rules = [
      { when: "title", use: "auto:0.9" },
      { when: "summary", use: "auto:Cheap" },
    ];
    write({ agent_rules, presets: [{ name: "cheap" }] });
    expect(loadSettings({}, { workingDirectory: folder }).agentRules).toEqual(agent_rules);
    write({ agent_rules });
    expect(() => loadSettings({}, { workingDirectory: folder })).toThrow(
      /`agent_rules\[1\]\.use` .* is "auto:Cheap"/,
    );
  });
});
