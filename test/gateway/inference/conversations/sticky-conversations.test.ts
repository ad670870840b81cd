import { describe, expect, it } from "vitest";
import type { ConversationFields, InferenceRequest } from "../../../../src/gateway/inference/request.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { deploymentOf } from "../../../fakes/deployments.js";
import { answers, FakeProvider, fails, PLAIN_USAGE, streams, textSteps } from "../../../fakes/provider.js";
import {
  asStream,
  contextOf,
  readAll,
  requestFor,
  routed,
  type StartOptions,
  startInference,
} from "../harness.js";

const DEPLOYMENTS = ["large", "medium"].map((model) => deploymentOf("openai", model));
const CACHED = { ...PLAIN_USAGE, promptTokens: 2000, cacheReadTokens: 1024, cacheWriteTokens: 100 };

const first: readonly JsonObject[] = [{ role: "user", content: "Hello" }];
const second: readonly JsonObject[] = [
  ...first,
  { role: "assistant", content: "Hi!" },
  { role: "user", content: "And in Rust?" },
];

interface Asked extends Partial<Pick<InferenceRequest, "metadata" | "stream">> {
  readonly messages?: readonly JsonObject[];
  readonly conversation?: ConversationFields;
}

const request = ({ messages = first, conversation, ...rest }: Asked = {}): InferenceRequest =>
  requestFor({
    choice: { ...routed(["large", "medium"]), conversation },
    body: { messages },
    metadata: {},
    ...rest,
  });

const on = { settings: { sticky: "on" } } as const;

function start(options: StartOptions = {}, provider = new FakeProvider("openai", answers("Hi!", CACHED))) {
  const started = startInference([provider], { deployments: DEPLOYMENTS, ...options });
  const previous = () => started.router.requests.map((routedRequest) => routedRequest.previous);
  return { ...started, provider, previous };
}

describe("A request that continues a conversation", () => {
  it("is decided with the answer before it: the model, what its prompt shares with this one, and what was cached", async () => {
    const { inference, previous, time } = start(on);
    await inference.run(request(), contextOf());
    await time.advance(4000);
    await inference.run(request({ messages: second }), contextOf(undefined, 4000));
    expect(previous()).toEqual([
      undefined,
      {
        model: "large",
        provider: "openai",
        promptTokens: 6,
        billedTokens: 2000,
        reportedTokens: 1124,
        ageMs: expect.any(Number),
        inToolLoop: false,
      },
    ]);
  });

  it("knows the time since the answer", async () => {
    const { inference, previous, time } = start(on);
    await inference.run(request(), contextOf());
    await time.advance(4000);
    const later = { ...contextOf(undefined, 4000), createdAtMs: contextOf().createdAtMs + 4000 };
    await inference.run(request({ messages: second }), later);
    expect(previous()[1]?.ageMs).toBe(4000);
  });

  it("is recognised after a stream", async () => {
    const { inference, previous } = start(
      on,
      new FakeProvider("openai", streams(...textSteps(["Hi!"], CACHED))),
    );
    await readAll(asStream(await inference.run(request({ stream: true }), contextOf())));
    await inference.run(request({ messages: second, stream: true }), contextOf());
    expect(previous()[1]).toMatchObject({ model: "large", billedTokens: 2000 });
  });

  it("names the model that answered, not the one that failed", async () => {
    const failing = new FakeProvider("openai", fails("server_error", { status: 500 }), answers("Hi!"));
    const { inference, previous } = start({ settings: { sticky: "on", retries: 0 } }, failing);
    await inference.run(request(), contextOf());
    await inference.run(request({ messages: second }), contextOf());
    expect(previous()[1]).toMatchObject({ model: "medium" });
  });

  it("is in a tool loop while the results of tools are its last messages", async () => {
    const { inference, previous } = start(on);
    const calling = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const answered = { role: "assistant", content: null, tool_calls: [calling] };
    const result = { role: "tool", tool_call_id: "call_1", content: "rain" };
    await inference.run(request(), contextOf());
    await inference.run(request({ messages: [...first, answered, result] }), contextOf());
    expect(previous()[1]).toMatchObject({ model: "large", inToolLoop: true });
  });

  it("is none of another principal", async () => {
    const { inference, previous } = start();
    const named = { conversation: { name: "c-1" } };
    await inference.run(request(named), contextOf());
    const other = { ...contextOf().principal, id: "key_2" };
    await inference.run(request({ ...named, messages: second }), { ...contextOf(), principal: other });
    expect(previous()).toEqual([undefined, undefined]);
  });

  it("is recognised by the decision alone, whose model is then the conversation's", async () => {
    const { inference, previous } = start(on);
    const decide = (messages: readonly JsonObject[]) => {
      const { choice, body, metadata } = request({ messages });
      if (choice.type !== "routed") throw new TypeError("the choice is routed");
      return inference.decide({ choice, body, metadata }, contextOf());
    };
    await decide(first);
    await decide(second);
    expect(previous()[1]).toMatchObject({ model: "large", billedTokens: 6, reportedTokens: 0 });
  });

  it("is decided on its own while the memory has nothing to say", async () => {
    const conversations = { find: async () => undefined, remember() {}, close: async () => {} };
    const { inference, previous } = start({ ...on, conversations });
    await inference.run(request(), contextOf());
    await inference.run(request({ messages: second }), contextOf());
    expect(previous()).toEqual([undefined, undefined]);
  });
});

describe("Which conversations are recognised", () => {
  const cases: readonly [string, Asked, Record<"on" | "off", boolean>][] = [
    ["without a name", {}, { on: true, off: false }],
    ["named in its metadata", { metadata: { conversation_id: 7 } }, { on: true, off: false }],
    ["named in `router`", { conversation: { name: "c-1" } }, { on: true, off: false }],
    ["of an agent's session", { conversation: { session: "s-1" } }, { on: true, off: false }],
    ["that asks for it", { conversation: { sticky: true } }, { on: true, off: true }],
    [
      "that asks for the contrary",
      { conversation: { sticky: false, name: "c-1" } },
      { on: false, off: false },
    ],
  ];

  describe.each(["on", "off"] as const)("with `sticky` %s", (sticky) => {
    it.each(cases)("a request %s", async (_, asked, expected) => {
      const { inference, previous } = start({ settings: { sticky } });
      await inference.run(request(asked), contextOf());
      await inference.run(request({ ...asked, messages: second }), contextOf());
      expect(previous().map((answer) => answer?.model)).toEqual([
        undefined,
        expected[sticky] ? "large" : undefined,
      ]);
    });
  });

  it("by the session of an agent, also when later messages were changed, but for its sub-agents apart", async () => {
    const { inference, previous } = start();
    const conversation = { session: "s-1" };
    const asked = async (...contents: readonly string[]) => {
      const messages = contents.map((content, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content,
      }));
      await inference.run(request({ conversation, messages }), contextOf());
      return previous().at(-1)?.model;
    };
    expect(await asked("Fix it")).toBeUndefined();
    expect(await asked("Search for it")).toBeUndefined();
    expect(await asked("Fix it", "(left out)", "Go on")).toBe("large");
  });

  it("by a name, also when the messages before are others; then nothing is expected in the cache", async () => {
    const { inference, previous } = start();
    const named = { metadata: { conversation_id: "c-1" } };
    await inference.run(request(named), contextOf());
    await inference.run(
      request({ ...named, messages: [{ role: "user", content: "Summary: …" }] }),
      contextOf(),
    );
    expect(previous()[1]).toMatchObject({ model: "large", promptTokens: 0 });
  });

  it("by the key of the metadata that the settings name", async () => {
    const { inference, previous } = start({ settings: { stickyMetadataKey: "user_id" } });
    const asked = { metadata: { user_id: "user_1_session_2" } };
    await inference.run(request(asked), contextOf());
    await inference.run(request({ ...asked, messages: second }), contextOf());
    expect(previous()[1]).toMatchObject({ model: "large" });
  });

  it("not of another beginning", async () => {
    const { inference, previous } = start();
    await inference.run(request(), contextOf());
    const other = [{ role: "user", content: "Good morning" }, ...second.slice(1)];
    await inference.run(request({ messages: other }), contextOf());
    expect(previous()[1]).toBeUndefined();
  });
});
