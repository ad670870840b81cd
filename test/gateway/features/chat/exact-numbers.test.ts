/**
 * Digits of a tool's arguments, from the text that came to the text that is sent: https://github.com/earendil-works/pi/issues/8943 (2026-09-01),
 * and of its schema: https://github.com/ansible/aap-mcp-server/pull/170 (2026-07-02).
 */
import { beforeEach, describe, expect, it } from "vitest";
import { exactJson } from "../../../../src/foundation/exact-numbers.js";
import { toChatCompletion } from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import { toMessagesRequest } from "../../../../src/gateway/providers/anthropic/request.js";
import { type ChatChunk, type JsonObject, parsedJson } from "../../../../src/gateway/providers/chat.js";
import { wholeAnswer as read } from "../../../../src/gateway/providers/http/whole-answer.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import { requestBody } from "../../../../src/gateway/providers/openai-compatible/request.js";
import { ResponsesStream } from "../../../../src/gateway/providers/openai-responses/reply.js";
import { responsesBody } from "../../../../src/gateway/providers/openai-responses/request.js";
import { chunk, streamedAnswer, wholeAnswer } from "../../../fakes/inference.js";
import { post, startTestServer } from "../../server.js";

const GIVEN = '{"id":2512292042121000001,"share":1.0,"none":-0,"far":1e400}';
const SCHEMA =
  '{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807,"minimum":0.0}}}';
const QUOTED = JSON.stringify(GIVEN);

const MESSAGES = `"max_tokens":9,"tools":[{"name":"get","input_schema":${SCHEMA}}],"messages":[{"role":"user","content":"a"},
  {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get","input":${GIVEN}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"none"}]}]`;
const CHAT = `"temperature":1.0,"tools":[{"type":"function","function":{"name":"get","parameters":${SCHEMA}}}],"messages":[{"role":"user","content":"a"},
  {"role":"assistant","tool_calls":[{"id":"t1","type":"function","function":{"name":"get","arguments":${QUOTED}}}]},
  {"role":"tool","tool_call_id":"t1","content":"none"}]`;
const RESPONSES = `"tools":[{"type":"function","name":"get","parameters":${SCHEMA}}],"input":[{"role":"user","content":"a"},
  {"type":"function_call","call_id":"t1","name":"get","arguments":${QUOTED}},{"type":"function_call_output","call_id":"t1","output":"none"}]`;

const ROUTES: readonly (readonly [string, string])[] = [
  ["/v1/messages", MESSAGES],
  ["/v1/chat/completions", CHAT],
  ["/v1/responses", RESPONSES],
];

const options = { answerTool: null, created: 1 };
const ANSWERS = {
  Messages: () =>
    toChatCompletion(`{"content":[{"type":"tool_use","id":"t","name":"get","input":${GIVEN}}]}`, options)
      .completion,
  "Messages, as they came,": () => ({
    choices: [],
    native: parsedJson(
      `{"content":[{"type":"tool_use","input":${GIVEN}}],"arguments":${QUOTED}}`,
    ) as JsonObject,
  }),
  Responses: () =>
    read(
      `{"output":[{"type":"function_call","call_id":"t","name":"get","arguments":${QUOTED}}]}`,
      new ResponsesStream({ provider: "lab" }),
    ).completion,
};

let server: ReturnType<typeof startTestServer>;
beforeEach(() => {
  server = startTestServer();
});

const ask = (url: string, members: string) =>
  post(server.app, url, { payload: `{"model":"gpt-4o-mini",${members}}` });

describe.each(ROUTES)("POST %s", (url, members) => {
  it("asks each vendor's API with the numbers of tools as they came", async () => {
    expect((await ask(url, members)).statusCode).toBe(200);
    const asked = server.inference.runs[0]?.request;
    if (asked === undefined) throw new Error("nothing was asked");
    const call = { upstreamModel: "m", body: asked.body, stream: false } as const;
    const quirks = quirksFor({ id: "lab", baseUrl: "http://lab" });
    const bodies = [
      toMessagesRequest({ ...call, api: "chat" }).body,
      requestBody({ ...call, api: "chat" }, { quirks, tokenLimitField: "max_tokens" }),
      responsesBody({ ...call, api: "responses" }, { provider: "lab", reasons: false }),
      ...(asked.native === undefined ? [] : [asked.native.request.body]),
    ];
    for (const body of bodies.map(exactJson)) {
      expect([GIVEN, QUOTED].some((given) => body.includes(given))).toBe(true);
      expect(body).toContain(SCHEMA);
    }
  });

  it.each(Object.entries(ANSWERS))("gives what %s answers with its digits", async (_, answer) => {
    server.inference.outcomes.push(wholeAnswer({ completion: answer() }));
    const { body } = await ask(url, members);
    expect([GIVEN, QUOTED].some((given) => body.includes(given))).toBe(true);
  });

  it("streams them, also in an event of the provider's own", async () => {
    const call = { index: 0, id: "t", type: "function", function: { name: "get", arguments: GIVEN } };
    const native = parsedJson(`{"type":"ping","input":${GIVEN}}`) as JsonObject;
    const events: ChatChunk[] = [chunk({ tool_calls: [call] }), { choices: [], native }];
    for (const event of events) {
      server.inference.outcomes.push(streamedAnswer([[event], [chunk({}, { finish_reason: "tool_calls" })]]));
      const { body } = await ask(url, `"stream":true,${members}`);
      if (event.native === undefined || url !== "/v1/chat/completions")
        expect([GIVEN, QUOTED, QUOTED.slice(1, -1)].some((given) => body.includes(given))).toBe(true);
    }
  });
});

describe("Numbers that the gateway reads", () => {
  it("are shown by their digits where they are refused, and stored so as tags", async () => {
    const refused = await ask("/v1/chat/completions", `"max_tokens":99999999999999999999,${CHAT}`);
    expect(refused.json().error.message).toMatch(/^`max_tokens` is 99999999999999999999: it must be/);
    await ask("/v1/chat/completions", `"metadata":{"order":2512292042121000001,"tier":1.0},${CHAT}`);
    expect(server.inference.runs[0]?.request.metadata).toEqual({ order: "2512292042121000001", tier: 1 });
  });
});
