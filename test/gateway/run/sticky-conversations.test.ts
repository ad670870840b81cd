import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { ConversationFields, InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails, PLAIN_USAGE, streams, textSteps } from "../../fakes/provider.js";
import { contextOf, readAll, requestFor, routed, type StartOptions, startInference } from "./harness.js";

const DEPLOYMENTS = ["large", "medium"].map((model) => deploymentOf("openai", model));
const CACHED = { ...PLAIN_USAGE, promptTokens: 2000, cacheReadTokens: 1024, cacheWriteTokens: 100 };

const user = (content: string): JsonObject => ({ role: "user", content });
const assistant = (content: string): JsonObject => ({ role: "assistant", content });
const first = [user("Hello")];
const second = [...first, assistant("Hi!"), user("And in Rust?")];

interface Asked extends Partial<Pick<InferenceRequest, "metadata" | "stream">> {
  readonly messages?: readonly JsonObject[];
  readonly conversation?: ConversationFields;
}

const request = ({ messages = first, conversation, ...rest }: Asked = {}) => ({
  choice: { ...routed(["large", "medium"]), conversation },
  body: { messages },
  metadata: {},
  ...rest,
});

function start(options: StartOptions = {}, provider = new FakeProvider("openai", answers("Hi!", CACHED))) {
  const started = startInference([provider], { deployments: DEPLOYMENTS, ...options });
  /** Asks, and returns the answer before it that the decision was made with. */
  const ask = async (asked: Asked = {}) => {
    const answer = await started.run(request(asked));
    if (answer.kind === "stream") await readAll(answer);
    return started.router.requests.at(-1)?.previous;
  };
  return { ...started, ask };
}

describe("A request that continues a conversation", () => {
  it("is decided with the answer before it: the model, what its prompt shares with this one, and what was cached", async () => {
    const { inference, ask, router, time } = start();
    expect(await ask()).toBeUndefined();
    await time.advance(4000);
    const later = { ...contextOf(undefined, 4000), createdAtMs: contextOf().createdAtMs + 4000 };
    await inference.run(requestFor(request({ messages: second })), later);
    expect(router.requests[1]?.previous).toEqual({
      model: "large",
      provider: "openai",
      promptTokens: 6,
      billedTokens: 2000,
      reportedTokens: 1124,
      ageMs: 4000,
      inToolLoop: false,
    });
  });

  it("is recognised after a stream", async () => {
    const { ask } = start({}, new FakeProvider("openai", streams(...textSteps(["Hi!"], CACHED))));
    await ask({ stream: true });
    const previous = await ask({ messages: second, stream: true });
    expect(previous).toMatchObject({ model: "large", billedTokens: 2000 });
  });

  it("names the model that answered, not the one that failed", async () => {
    const failing = new FakeProvider("openai", fails("server_error", { status: 500 }), answers("Hi!"));
    const { ask } = start({ settings: { retries: 0 } }, failing);
    await ask();
    expect(await ask({ messages: second })).toMatchObject({ model: "medium" });
  });

  it("is in a tool loop while the results of tools are its last messages", async () => {
    const { ask } = start();
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const answered = { role: "assistant", content: null, tool_calls: [call] };
    const result = { role: "tool", tool_call_id: "call_1", content: "rain" };
    await ask();
    const previous = await ask({ messages: [...first, answered, result] });
    expect(previous).toMatchObject({ model: "large", inToolLoop: true });
  });

  it.each([
    [0, 2, { costWeight: 0.5, previous: { inToolLoop: true } }, "large"],
    [2, 1, { costWeight: 0.5, previous: { inToolLoop: true } }, "large"],
    [
      2,
      2,
      { costWeight: 0.1, previous: { model: "large", inToolLoop: false } },
      "calls of tools go on failing",
    ],
  ])(
    "is decided anew where the settings help a loop after %d failed results, after %d",
    async (helpAfterToolErrors, failed, asked, said) => {
      const { run, router } = start({ settings: { helpAfterToolErrors } });
      const turn = (at: number) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: `call_${at}`, type: "function", function: { name: "run", arguments: `{"at":${at}}` } },
          ],
        },
        { role: "tool", tool_call_id: `call_${at}`, content: "Error: exit status 1" },
      ];
      const loop = [...first, ...Array.from({ length: failed }, (_, at) => turn(at)).flat()];
      const choice = { ...routed(["large", "medium"], 0.5), conversation: { name: "c-1" } };
      await run({ choice, body: { messages: first } });
      const { routing } = await run({ choice, body: { messages: loop } });
      expect(router.requests[1]).toMatchObject(asked);
      expect(JSON.stringify(routing)).toContain(said);
    },
  );

  it("is none of another principal", async () => {
    const { inference, ask, router } = start();
    const conversation = { name: "c-1" };
    await ask({ conversation });
    const principal = { ...contextOf().principal, id: "key_2" };
    const asked = requestFor(request({ conversation, messages: second }));
    await inference.run(asked, { ...contextOf(), principal });
    expect(router.requests[1]?.previous).toBeUndefined();
  });

  it("is recognised by the decision alone, whose model is then the conversation's", async () => {
    const { decide, router } = start();
    await decide(request());
    await decide(request({ messages: second }));
    const previous = { model: "large", billedTokens: 6, reportedTokens: 0 };
    expect(router.requests[1]?.previous).toMatchObject(previous);
  });
});

describe("Which conversations are recognised", () => {
  it.each<[string, Asked, on: boolean, off: boolean]>([
    ["without a name", {}, true, false],
    ["named in its metadata", { metadata: { conversation_id: 7 } }, true, false],
    ["named in `router`", { conversation: { name: "c-1" } }, true, false],
    ["of an agent's session", { conversation: { session: "s-1" } }, true, false],
    ["that asks for it", { conversation: { sticky: true } }, true, true],
    ["that asks for the contrary", { conversation: { sticky: false, name: "c-1" } }, false, false],
  ])("is by the setting: a request %s, with `sticky` on %s, off %s", async (_, asked, on, off) => {
    for (const sticky of ["on", "off"] as const) {
      const { ask } = start({ settings: { sticky } });
      await ask(asked);
      const expected = { on, off }[sticky] ? "large" : undefined;
      expect((await ask({ ...asked, messages: second }))?.model).toBe(expected);
    }
  });

  it("is by the session of an agent, also when later messages were changed, but for its sub-agents apart", async () => {
    const { ask } = start();
    const conversation = { session: "s-1" };
    expect(await ask({ conversation, messages: [user("Fix it")] })).toBeUndefined();
    expect(await ask({ conversation, messages: [user("Search for it")] })).toBeUndefined();
    const changed = [user("Fix it"), assistant("(left out)"), user("Go on")];
    expect(await ask({ conversation, messages: changed })).toMatchObject({ model: "large" });
  });

  it("is by a name, also when the messages before are others; then nothing is expected in the cache", async () => {
    const { ask } = start();
    const metadata = { conversation_id: "c-1" };
    await ask({ metadata });
    const previous = await ask({ metadata, messages: [user("Summary: …")] });
    expect(previous).toMatchObject({ model: "large", promptTokens: 0 });
  });

  it("is by the key of the metadata that the settings name", async () => {
    const { ask } = start({ settings: { stickyMetadataKey: "user_id" } });
    const metadata = { user_id: "user_1_session_2" };
    await ask({ metadata });
    expect(await ask({ metadata, messages: [user("Summary: …")] })).toMatchObject({ model: "large" });
  });

  it.each<[string, Asked, string | undefined]>([
    ["nothing", {}, undefined],
    ["an agent's session", { conversation: { session: "s-1" } }, "s-1"],
    ["a name", { conversation: { session: "s-1", name: "n-1" } }, "n-1"],
    ["its metadata", { conversation: { name: "n-1" }, metadata: { thread: "t-1" } }, "t-1"],
  ])("is said in its trace by %s", async (_, asked, expected) => {
    const { ask, trace } = start({ settings: { stickyMetadataKey: "thread" } });
    await ask(asked);
    expect(trace().metadata.thread).toBe(expected);
  });
});
