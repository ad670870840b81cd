/** Loops of tools on vendors that think: each gets its own signed or encrypted reasoning back, and nobody else's, also on `auto` between them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { Vendor } from "../../fakes/vendors/rule.js";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { SEALED, THOUGHT } from "../../fakes/vendors/weather.js";
import { type Gateway, startGateway } from "./gateway.js";
import { LOOPS, type LoopName, wholeAndStreamed } from "./loops.js";

const CLAUDE = "claude-sonnet-4-5-20250929";
const GEMINI = "gemini-3-flash";
let gateway: Gateway;
let openai: FakeVendor;
/** What was sent to Anthropic and Google, in order. What they refuse fails when the gateway stops. */
let sent: { readonly vendor: Vendor; readonly body: JsonObject }[];

beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());
beforeEach(() => {
  sent = [];
  openai = new FakeVendor("openai");
  gateway.openai.answer(openai.script);
  for (const vendor of ["anthropic", "google"] as const) {
    const fake = new FakeVendor(vendor);
    gateway[vendor].answer((exchange) => {
      sent.push({ vendor, body: JSON.parse(exchange.request.body) });
      return fake.script(exchange);
    });
  }
});

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);

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
    if (thinking !== undefined) expect(list(answered?.content)[0]).toEqual(THOUGHT);
    expect(text).not.toContain(SEALED.google.extra_content.google.thought_signature);
  } else {
    if (keepsCalls) expect(answered?.tool_calls).toMatchObject([SEALED.google]);
    expect(text).not.toContain(THOUGHT.signature);
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
