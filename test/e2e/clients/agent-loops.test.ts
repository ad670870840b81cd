/** Loops of tools on vendors that think: each gets its own signed or encrypted reasoning back, and nobody else's, also on `auto` between them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { Script } from "../../fakes/upstream-server.js";
import type { Vendor } from "../../fakes/vendors/rule.js";
import { brokenRule, FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { chatReply, chatStream, messageReply, messageStream } from "../replies.js";
import { type Gateway, startGateway } from "./gateway.js";
import { ANSWER, LOOPS, type LoopName, wholeAndStreamed } from "./loops.js";

const CLAUDE = "claude-sonnet-4-5-20250929";
const GEMINI = "gemini-3-flash";
const SIGNATURE = { google: { thought_signature: "c2lnbmVk" } };
const THINKING = { type: "thinking", thinking: "Ask the tool.", signature: "ErUBCkYIBxgCIkD0Zm9y" };

let gateway: Gateway;
let openai: FakeVendor;
/** What was sent, by vendor, in order; and what a vendor would have refused. */
let sent: { readonly vendor: Vendor; readonly body: JsonObject }[];
let refused: string[];
let calls = 0;

beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());
beforeEach(() => {
  sent = [];
  refused = [];
  openai = new FakeVendor("openai");
  gateway.openai.answer(openai.script);
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
    ? { type: "text", text: ANSWER }
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
    ? { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: ANSWER }] }
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
    index: 0,
    id: `call_${calls++}`,
    type: "function",
    extra_content: SIGNATURE,
    function: { name: "weather", arguments: '{"city":"Oslo"}' },
  };
  const message = answers ? { content: ANSWER } : { content: null, tool_calls: [called] };
  const reason = answers ? "stop" : "tool_calls";
  return stream === true ? chatStream([message], reason) : chatReply(message, reason);
}

/** Sends the candidates of each request's turn with `auto`: first those of the first list, later those of the last. */
function fetchAmong(
  turns: readonly (readonly string[])[],
  { sticky = false } = {},
): { readonly fetch: typeof fetch; next(): void } {
  let turn = 0;
  return {
    next: () => {
      turn += 1;
    },
    fetch: (url, init) => {
      const body = JSON.parse(String(init?.body));
      const router = { models: turns[Math.min(turn, turns.length - 1)], sticky };
      return fetch(url, {
        ...init,
        body: JSON.stringify(body.model === "auto" ? { ...body, router } : body),
      });
    },
  };
}

const CLAUDES = [CLAUDE, "claude-haiku-4-5-20251001"];
const GEMINIS = [GEMINI, "gemini-2.5-flash"];
const OPENAIS = ["gpt-5.6-luna", "gpt-5.6-sol"];
const ALL = Object.keys(LOOPS) as LoopName[];
const AGENTS: readonly LoopName[] = ["AI SDK's default", "Agents SDK", "Agents SDK in chat completions"];
const ON_OPENAI: readonly LoopName[] = [
  "the openai package in chat completions",
  "Anthropic's package",
  "AI SDK's default",
  "Agents SDK",
];

describe.each([
  { name: "Claude", model: CLAUDE, turns: [[]], clients: ALL },
  { name: "Gemini", model: GEMINI, turns: [[]], clients: ALL },
  { name: "`auto` among both vendors", model: "auto", turns: [[...CLAUDES, ...GEMINIS]], clients: AGENTS },
  { name: "`auto` from Claude to Gemini", model: "auto", turns: [CLAUDES, GEMINIS], clients: AGENTS },
  { name: "`auto` from Gemini to Claude", model: "auto", turns: [GEMINIS, CLAUDES], clients: AGENTS },
])("On $name,", ({ model, turns, clients }) => {
  it.each(wholeAndStreamed(clients))(
    "$name runs a loop in each of two turns (streamed: $streamed)",
    async ({ name, streamed }) => {
      const { fetch, next } = fetchAmong(turns);
      await LOOPS[name]({ address: gateway.address, model, streamed, fetch, nextTurn: next });
      expect(refused).toEqual([]);
      expect(sent).toHaveLength(4);
      // Of the deltas of a call in chat, this client keeps what it knows.
      const keepsCalls = !(streamed && name === "Agents SDK in chat completions");
      for (const one of [sent[1], sent[3]])
        if (one !== undefined) expectOwnReasoning(one.vendor, one.body, { keepsCalls });
    },
  );
});

/** The vendor gets its own signed reasoning of the loop back, as far as the client keeps it, and nobody else's. */
function expectOwnReasoning(
  vendor: Vendor,
  { messages, thinking }: JsonObject,
  { keepsCalls }: { readonly keepsCalls: boolean },
) {
  const text = JSON.stringify(messages);
  const answered = list(messages).at(-2);
  if (vendor === "anthropic") {
    if (thinking !== undefined) expect(list(answered?.content)[0]).toEqual(THINKING);
    expect(text).not.toContain(SIGNATURE.google.thought_signature);
  } else {
    if (keepsCalls) expect(answered?.tool_calls).toMatchObject([{ extra_content: SIGNATURE }]);
    expect(text).not.toContain(THINKING.signature);
  }
}

describe.each([
  { model: "gpt-5.6-luna", reasons: true },
  { model: "gpt-5-pro", reasons: true },
  { model: "gpt-4.1", reasons: false },
  { model: "auto", reasons: true },
])("On OpenAI's $model,", ({ model, reasons }) => {
  it.each(wholeAndStreamed(ON_OPENAI))(
    "$name carries sealed reasoning through its loops, and nothing is stored (streamed: $streamed)",
    async ({ name, streamed }) => {
      const { fetch } = fetchAmong([OPENAIS], { sticky: true });
      await LOOPS[name]({ address: gateway.address, model, streamed, fetch });
      expect(openai.calls).toEqual([null, null, null, null]);
      const types = list(openai.asked[1]?.input).map(({ type, role }) => role ?? type);
      const carried = [...(reasons ? ["reasoning"] : []), "function_call", "function_call_output"];
      expect(types.slice(-carried.length - 1)).toEqual(["user", ...carried]);
      expect(openai.asked.every(({ store }) => store === false)).toBe(true);
    },
  );
});
