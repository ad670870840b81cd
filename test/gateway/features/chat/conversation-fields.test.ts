import { describe, expect, it } from "vitest";
import type { RoutedChoice } from "../../../../src/gateway/run/request.js";
import { post, startTestServer } from "../../server.js";

const { app, inference } = startTestServer();

const messages = [{ role: "user", content: "Hello" }];
const auto = { model: "auto", messages };

async function conversationOf(
  url: string,
  payload: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<RoutedChoice["conversation"]> {
  const response = await post(app, url, { payload, headers });
  expect(response.statusCode, response.body).toBe(200);
  return inference.runs.at(-1)?.request.choice.conversation;
}

describe("What a request says of its conversation", () => {
  const router = { sticky: true, conversation: "c-1" };
  const said = { sticky: true, name: "c-1", session: undefined };

  it.each([
    ["/v1/chat/completions", { ...auto, router }],
    ["/v1/completions", { model: "auto", prompt: "Hello", router }],
    ["/v1/responses", { model: "auto", input: "Hello", router }],
    ["/v1/messages", { ...auto, max_tokens: 5, router }],
    ["/v1/router", { messages, ...router }],
  ])("is read from a request to %s and not sent on", async (url, payload) => {
    expect(await conversationOf(url, payload)).toEqual(said);
    expect(inference.runs.at(-1)?.request.body).not.toHaveProperty("conversation");
    expect(inference.runs.at(-1)?.request.body).not.toHaveProperty("sticky");
  });

  it("is the session of an agent that names its model, and nothing when a request says nothing", async () => {
    const named = { model: "gpt-4o-mini", messages };
    const session = { "x-session-id": "s" };
    expect(await conversationOf("/v1/chat/completions", named, session)).toMatchObject({ session: "s" });
    expect(await conversationOf("/v1/chat/completions", named)).toBeUndefined();
    expect(await conversationOf("/v1/router", { messages })).toBeUndefined();
    const tooLong = { "x-session-id": "s".repeat(257) };
    expect(await conversationOf("/v1/router", { messages }, tooLong)).toBeUndefined();
  });

  it.each([
    ["thread-id", { "session-id": "s", "thread-id": "t" }, "t"],
    ["x-claude-code-session-id", { "x-claude-code-session-id": "s" }, "s"],
    ["x-session-id", { "x-session-id": "s" }, "s"],
    ["session_id", { session_id: "s" }, "s"],
    ["x-openwebui-chat-id", { "x-openwebui-chat-id": "s" }, "s"],
  ])("includes the session of a coding agent: %s", async (_name, headers, session) => {
    for (const [url, payload] of [
      ["/v1/chat/completions", auto],
      ["/v1/messages", { ...auto, max_tokens: 5 }],
      ["/v1/responses", { model: "auto", input: "Hello" }],
      ["/v1/router", { messages }],
    ] as const)
      expect(await conversationOf(url, payload, headers)).toMatchObject({ session });
  });

  it.each(["conv_1", { id: "conv_1" }])(
    "includes %j, the conversation that the provider of a response keeps, unless the request names another",
    async (conversation) => {
      const payload = { model: "auto", input: "Hello", conversation };
      expect(await conversationOf("/v1/responses", payload)).toMatchObject({ name: "conv_1" });
      const named = { ...payload, router: { conversation: "c-1" } };
      expect(await conversationOf("/v1/responses", named)).toMatchObject({ name: "c-1" });
    },
  );

  const chat = "/v1/chat/completions";
  it.each([
    [chat, { ...auto, router: { sticky: "yes" } }, "router.sticky", "it must be true or false."],
    ["/v1/router", { messages, conversation: "" }, "conversation", "a string of 1 to 512 characters"],
    [chat, { ...auto, sticky: true }, "sticky", 'Put it into `router.sticky`, with `model: "auto"`.'],
  ])("is refused by %s for %j", async (url, payload, param, words) => {
    const response = await post(app, url, { payload });
    expect([response.statusCode, response.json().error.param]).toEqual([400, param]);
    expect(response.json().error.message).toContain(words);
  });
});
