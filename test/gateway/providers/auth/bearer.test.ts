import { beforeEach, expect, it } from "vitest";
import { anthropic } from "../../../../src/gateway/providers/anthropic/anthropic-provider.js";
import { bearerAuthorizer } from "../../../../src/gateway/providers/auth/bearer.js";
import { jsonReply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { wholeMessage } from "../anthropic/answers.js";
import { LIMITS } from "../limits.js";

let server: UpstreamServer;
beforeEach(async () => {
  server = await UpstreamServer.start();
  return () => server.close();
});

function send() {
  let tokens = 0;
  const load = async () => ({ value: `token-${++tokens}`, expiresAtMs: null });
  const authorizer = bearerAuthorizer({ cloud: "google", load, now: () => 0 });
  const provider = anthropic({ ...LIMITS, id: "lab", baseUrl: server.origin, apiKey: undefined, authorizer });
  const body = { messages: [{ role: "user", content: "Hello" }] };
  return provider.send({ upstreamModel: "m", api: "chat", body, stream: false }, new AbortController());
}
const sent = () => server.requests.map(({ headers }) => headers.authorization);

it("A token that a cloud ended before its time is replaced by a new one", async () => {
  const answer = jsonReply(
    wholeMessage({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" }),
  );
  server.answer((exchange) =>
    exchange.request.headers.authorization === "Bearer token-2"
      ? answer(exchange)
      : jsonReply({}, { status: 401 })(exchange),
  );
  await send();
  expect(sent()).toEqual(["Bearer token-1", "Bearer token-2"]);
});

it("A token that may not use a model is kept", async () => {
  server.answer(jsonReply({ error: { message: "Permission denied" } }, { status: 403 }));
  await expect(send()).rejects.toMatchObject({ code: "credentials_refused" });
  expect(sent()).toEqual(["Bearer token-1"]);
});
