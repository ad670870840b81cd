import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { RefusedFields } from "../../../src/inference/attempts/refused-fields.js";
import type { ChatBody } from "../../../src/providers/chat.js";
import { ProviderFault } from "../../../src/providers/provider.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails } from "../../fakes/provider.js";
import { rejectionOf } from "../../support/errors.js";
import { contextOf, requestFor, startInference } from "../harness.js";

const refuses = (field: string) =>
  ({
    ...{ status: 400, upstreamParam: field },
    upstreamMessage: `Unsupported parameter: '${field}' is not supported with this model.`,
  }) as const;
const messages: ChatBody["messages"] = [{ role: "user", content: "Hello" }];

describe("A sampling field that a deployment refuses by name", () => {
  const ask = (started: ReturnType<typeof startInference>, body: ChatBody) =>
    started.inference.run(
      { ...requestFor(), body },
      contextOf(new AbortController().signal, started.time.clock()),
    );

  it("is left out in one more call, which attempts and log show, and from then on", async () => {
    const provider = new FakeProvider("lab", fails("request_refused", refuses("temperature")), answers("Hi"));
    const started = startInference([provider]);
    const body = { messages, temperature: 0, top_p: 0.5 };
    const answer = await ask(started, body);
    expect(answer.attempts.map(({ code }) => code)).toEqual(["request_refused", "ok"]);
    await ask(started, body);
    expect(provider.calls.map(({ body: { temperature, top_p } }) => [temperature, top_p])).toEqual([
      [0, 0.5],
      [undefined, 0.5],
      [undefined, 0.5],
    ]);
    const lines = started.logLines.filter(([, message]) => message.includes("left out"));
    expect(lines).toEqual([["info", expect.any(String), expect.objectContaining({ field: "temperature" })]]);
  });

  it("is left out once a request: what is refused then is refused", async () => {
    const provider = new FakeProvider(
      "lab",
      fails("request_refused", refuses("temperature")),
      fails("request_refused", refuses("top_p")),
    );
    const asked = ask(startInference([provider]), { messages, temperature: 0, top_p: 0.5 });
    const error = await rejectionOf(asked, SextantError);
    expect(String(error)).toContain("top_p");
    expect(provider.calls).toHaveLength(2);
  });

  it("is kept apart by the effort of the request", () => {
    const fields = new RefusedFields();
    const deployment = deploymentOf("lab", "model-a");
    const fault = new ProviderFault("request_refused", "", refuses("temperature"));
    const sent = { messages, reasoning: { effort: "low" }, temperature: 0 };
    expect(fields.learnFrom(fault, { deployment, sent })).toBe("temperature");
    expect(fields.leftOut({ reasoning_effort: "low", temperature: 0 }, deployment)).toEqual({
      reasoning_effort: "low",
    });
    const none = { reasoning_effort: "none", temperature: 0 };
    expect(fields.leftOut(none, deployment)).toBe(none);
  });

  it.each([
    ["`temperature` and `top_p` cannot both be specified for this model. Please use only one."],
    ["Unsupported parameter: 'tools' is not supported with this model."],
    ["temperature: Input should be less than or equal to 2"],
  ])("is not: %s", (upstreamMessage) => {
    const fault = new ProviderFault("request_refused", "", { status: 400, upstreamMessage });
    const request = {
      deployment: deploymentOf("lab", "model-a"),
      sent: { messages, temperature: 3, top_p: 1 },
    };
    expect(new RefusedFields().learnFrom(fault, request)).toBeNull();
  });
});
