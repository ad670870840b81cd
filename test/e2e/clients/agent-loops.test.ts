/** Default loops of AI SDK and Agents SDK over several turns with tools, on Claude with thinking, on Gemini, and on `auto` between vendors. */
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { Script } from "../../fakes/upstream-server.js";
import type { Vendor } from "../../fakes/vendors/rule.js";
import { brokenRule } from "../../fakes/vendors/vendor-server.js";
import {
  chatReply,
  chatStream,
  type Gateway,
  KEY,
  messageReply,
  messageStream,
  startGateway,
} from "./gateway.js";

const CLAUDE = "claude-sonnet-4-5-20250929";
const GEMINI = "gemini-3-flash";
const ASK = "What is the weather in Oslo?";
const SAID = "It is 3 °C.";
const SIGNATURE = { google: { thought_signature: "c2lnbmVk" } };
const THINKING = { type: "thinking", thinking: "Ask the tool.", signature: "ErUBCkYIBxgCIkD0Zm9y" };

let gateway: Gateway;
/** What was sent, by vendor, in order; and what a vendor would have refused. */
let sent: { readonly vendor: Vendor; readonly body: JsonObject }[];
let refused: string[];
let calls = 0;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  sent = [];
  refused = [];
  gateway.anthropic.answer(asVendor("anthropic", claude));
  gateway.google.answer(asVendor("google", gemini));
});

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);

function asVendor(vendor: Vendor, answer: (body: JsonObject) => Script): Script {
  return (exchange) => {
    const body: JsonObject = JSON.parse(exchange.request.body);
    const api = vendor === "anthropic" ? "messages" : "chat";
    const broken = brokenRule(vendor, { api, model: String(body.model), body });
    if (broken !== null) refused.push(broken.refusal.text);
    sent.push({ vendor, body });
    return answer(body)(exchange);
  };
}

/** Claude thinks, calls the tool, and answers from its output. */
function claude({ messages, thinking, stream }: JsonObject): Script {
  const answers = list(list(messages).at(-1)?.content).some(({ type }) => type === "tool_result");
  const id = `toolu_${calls++}`;
  const first = thinking === undefined || answers ? [] : [THINKING];
  const said = answers
    ? { type: "text", text: SAID }
    : { type: "tool_use", id, name: "weather", input: { city: "Oslo" } };
  const reason = answers ? "end_turn" : "tool_use";
  if (stream !== true) return messageReply([...first, said], reason);
  const thought = {
    start: { ...THINKING, thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking: THINKING.thinking },
      { type: "signature_delta", signature: THINKING.signature },
    ],
  };
  const spoken = answers
    ? { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: SAID }] }
    : {
        start: { ...said, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: '{"city":"Oslo"}' }],
      };
  return messageStream([...first.map(() => thought), spoken], reason);
}

/** Gemini signs its call, and wants the signature back. */
function gemini({ messages, stream }: JsonObject): Script {
  const answers = list(messages).at(-1)?.role === "tool";
  const called = {
    ...{ index: 0, id: `call_${calls++}`, type: "function", extra_content: SIGNATURE },
    function: { name: "weather", arguments: '{"city":"Oslo"}' },
  };
  const message = answers ? { content: SAID } : { content: null, tool_calls: [called] };
  const reason = answers ? "stop" : "tool_calls";
  return stream === true ? chatStream([message], reason) : chatReply(message, reason);
}

/** Sends the candidates of each request's turn with `auto`: first those of the first list, later those of the last. */
function fetchAmong(turns: readonly (readonly string[])[]): { readonly fetch: typeof fetch; next(): void } {
  let turn = 0;
  return {
    next: () => {
      turn += 1;
    },
    fetch: (url, init) => {
      const body = JSON.parse(String(init?.body));
      const router = { models: turns[Math.min(turn, turns.length - 1)] };
      return fetch(url, {
        ...init,
        body: JSON.stringify(body.model === "auto" ? { ...body, router } : body),
      });
    },
  };
}

const NO_ROUTER = fetchAmong([[]]);
const CLAUDES = [CLAUDE, "claude-haiku-4-5-20251001"];
const GEMINIS = [GEMINI, "gemini-2.5-flash"];

const CASES = [
  { name: "Claude", model: CLAUDE, turns: null },
  { name: "Gemini", model: GEMINI, turns: null },
  { name: "`auto` among both vendors", model: "auto", turns: [[...CLAUDES, ...GEMINIS]] },
  { name: "`auto`, which goes from Claude to Gemini", model: "auto", turns: [CLAUDES, GEMINIS] },
  { name: "`auto`, which goes from Gemini to Claude", model: "auto", turns: [GEMINIS, CLAUDES] },
] as const;

describe.each(CASES)("On $name,", ({ model, turns }) => {
  const among = () => (turns === null ? NO_ROUTER : fetchAmong(turns));

  function expectTwoLoops(calls: "whole" | "cut" = "whole") {
    expect(refused).toEqual([]);
    expect(sent).toHaveLength(4);
    for (const { vendor, body } of [sent[1], sent[3]].filter((one) => one !== undefined))
      expectOwnReasoning(vendor, body, calls);
  }

  it.each([false, true])(
    "AI SDK's default runs a loop in each of two turns (streamed: %s)",
    async (stream) => {
      const { fetch, next } = among();
      const openai = createOpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, fetch });
      const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "3 °C" });
      const messages: ModelMessage[] = [{ role: "user", content: ASK }];
      for (const more of ["And now?", ""]) {
        const options = { model: openai(model), messages, tools: { weather }, maxRetries: 0 };
        const asked = { ...options, stopWhen: stepCountIs(3) };
        const result = stream ? streamText(asked) : await generateText(asked);
        expect(await result.text).toBe(SAID);
        messages.push(...(await result.response).messages, { role: "user", content: more });
        next();
      }
      expectTwoLoops();
    },
  );

  it.each([
    { useResponses: true, stream: false },
    { useResponses: true, stream: true },
    { useResponses: false, stream: false },
    { useResponses: false, stream: true },
  ])(
    "Agents SDK runs a loop in each of two turns (Responses: $useResponses, streamed: $stream)",
    async ({ useResponses, stream }) => {
      const { fetch, next } = among();
      const openAIClient = new OpenAI({
        baseURL: `${gateway.address}/v1`,
        apiKey: KEY,
        maxRetries: 0,
        fetch,
      });
      const runner = new Runner({
        modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
        tracingDisabled: true,
      });
      const weather = agentTool({
        ...{ name: "weather", description: "The weather", parameters: z.object({ city: z.string() }) },
        execute: async () => "3 °C",
      });
      const modelSettings = { reasoning: { effort: "high" as const } };
      const agent = new Agent({
        name: "W",
        instructions: "Be brief.",
        model,
        tools: [weather],
        modelSettings,
      });
      const run = async (input: Parameters<typeof runner.run>[1]) => {
        if (!stream) return runner.run(agent, input as string);
        const streamed = await runner.run(agent, input as string, { stream: true });
        for await (const _ of streamed);
        await streamed.completed;
        return streamed;
      };
      const first = await run(ASK);
      next();
      const second = await run([...first.history, { role: "user", content: "And now?" }] as never);
      expect([first.finalOutput, second.finalOutput]).toEqual([SAID, SAID]);
      // Of the deltas of a call in chat, this client keeps what it knows.
      expectTwoLoops(stream && !useResponses ? "cut" : "whole");
    },
  );
});

/** The vendor gets its own signed reasoning of the loop back, as far as the client keeps it, and nobody else's. */
function expectOwnReasoning(vendor: Vendor, { messages, thinking }: JsonObject, calls: "whole" | "cut") {
  const text = JSON.stringify(messages);
  const answered = list(messages).at(-2);
  if (vendor === "anthropic") {
    if (thinking !== undefined) expect(list(answered?.content)[0]).toEqual(THINKING);
    expect(text).not.toContain(SIGNATURE.google.thought_signature);
  } else {
    if (calls === "whole") expect(answered?.tool_calls).toMatchObject([{ extra_content: SIGNATURE }]);
    expect(text).not.toContain(THINKING.signature);
  }
}
