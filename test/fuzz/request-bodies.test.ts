import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reply } from "../fakes/upstream-server.js";
import { effort, FUZZ_TIMEOUT_MS } from "./effort.js";
import { type FuzzedGateway, startFuzzedGateway } from "./gateway.js";
import { mutatedJson } from "./hostile-values.js";
import { REPLIES } from "./replies.js";
import { REQUESTS } from "./requests.js";

let gateway: FuzzedGateway;
beforeAll(async () => {
  gateway = await startFuzzedGateway();
  gateway.upstream.answer((exchange) => {
    const { path, body } = exchange.request;
    const [, replies] = Object.entries(REPLIES).find(([end]) => path.split("?", 1)[0]?.endsWith(end)) ?? [];
    const isStream = (JSON.parse(body) as { readonly stream?: unknown }).stream === true;
    const text = (isStream ? replies?.stream : replies?.whole) ?? "{}";
    const type = isStream ? "text/event-stream" : "application/json";
    return reply({ status: 200, headers: { "content-type": type }, body: text })(exchange);
  });
});
afterAll(() => gateway.stop());

describe("The gateway", () => {
  it.each(REQUESTS)(
    "answers a request that uses much of the API: $route, $body.model",
    async ({ route, body }) => {
      const { status, text } = await gateway.post(route, body);
      expect(status, text).toBe(200);
      expect(text).not.toContain('"error":{');
    },
  );

  it(
    "answers such requests with damaged parts, or refuses them, never with an internal error",
    async () => {
      const cases = fc
        .constantFrom(...REQUESTS)
        .chain(({ route, body }) => fc.record({ route: fc.constant(route), body: mutatedJson(body) }));
      await fc.assert(
        fc.asyncProperty(cases, async ({ route, body }) => {
          const { status, text } = await gateway.post(route, body);
          expect(status, text.slice(0, 500)).not.toBe(500);
          expect(text).not.toContain('"internal_error"');
          if (status >= 400)
            expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
        }),
        effort(500),
      );
      expect((await fetch(`${gateway.server.address}/healthz`)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );
});
