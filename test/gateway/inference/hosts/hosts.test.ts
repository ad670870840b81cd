import { describe, expect, it } from "vitest";
import type { ChatCompletion } from "../../../../src/gateway/providers/chat.js";
import type { StreamEvent } from "../../../../src/gateway/providers/provider.js";
import { deploymentOf, priceOf } from "../../../fakes/deployments.js";
import { answers, FakeProvider, fails, finish, PLAIN_USAGE, streams } from "../../../fakes/provider.js";
import {
  asCompletion,
  asStream,
  contextOf,
  named,
  readAll,
  requestFor,
  routed,
  startInference,
} from "../harness.js";

const MODEL = "gpt-4o-mini";
const cheap = deploymentOf("cheap", MODEL, { price: priceOf(1, 1) });
const expensive = deploymentOf("expensive", MODEL, { price: priceOf(2, 2) });

const asking = (hosts: object) => requestFor({ choice: { ...named(MODEL), hosts } as never });

/** An answer by the model of that name. */
function answersAs(model: string) {
  const message = { role: "assistant", content: "hi" };
  const completion: ChatCompletion = { model, choices: [{ index: 0, message, finish_reason: "stop" }] };
  return { type: "completion", completion, usage: PLAIN_USAGE } as const;
}

function streamsAs(model: string) {
  const event = (content: string): StreamEvent => ({
    chunk: { model, choices: [{ index: 0, delta: { content }, finish_reason: null }] },
    usage: null,
  });
  return streams([event("h"), event("i")], [finish(), { chunk: null, usage: PLAIN_USAGE }]);
}

describe("The provider of a model", () => {
  it("is the cheaper one, and the trace says why, with what was expected of each", async () => {
    const { inference, trace } = startInference(
      [new FakeProvider("expensive"), new FakeProvider("cheap", answers("hi"))],
      {
        deployments: [expensive, cheap],
      },
    );
    expect((await inference.run(asking({}), contextOf())).provider).toBe("cheap");
    expect(trace().attempts).toMatchObject([
      {
        provider: "cheap",
        host: {
          ...{ reason: "price", saved_usd: null },
          hosts: [
            { provider: "cheap", error_rate: 0.01, ttft_ms: 1000, tokens_per_second: 50 },
            { provider: "expensive" },
          ],
        },
      },
    ]);
  });

  it("has its reason on the first attempt alone, also when that failed", async () => {
    const { inference, trace } = startInference(
      [new FakeProvider("cheap", fails("server_error")), new FakeProvider("expensive", streamsAs(MODEL))],
      { deployments: [cheap, expensive] },
    );
    await readAll(asStream(await inference.run({ ...asking({}), stream: true }, contextOf())));
    expect(trace().attempts.map(({ provider, host }) => [provider, host?.reason])).toEqual([
      ["cheap", "price"],
      ["expensive", undefined],
    ]);
  });

  it("stays with the attempt of a stream that has ended", async () => {
    const { inference, trace } = startInference(
      [new FakeProvider("cheap", streamsAs(MODEL)), new FakeProvider("expensive")],
      {
        deployments: [cheap, expensive],
      },
    );
    await readAll(asStream(await inference.run({ ...asking({}), stream: true }, contextOf())));
    expect(trace().attempts).toMatchObject([
      { code: "ok", host: { reason: "price" }, usage: { prompt_tokens: 10 } },
    ]);
  });

  it("is one that was measured to be faster where speed decides", async () => {
    const slow = new FakeProvider("cheap", answers("slow"));
    const fast = new FakeProvider("expensive", answers("fast"));
    const { inference, time } = startInference([slow, fast], {
      deployments: [cheap, expensive],
      settings: { hostSort: "latency" },
    });
    slow.send = async () => {
      await time.advance(8000);
      return { kind: "completion", completion: answersAs(MODEL).completion, usage: PLAIN_USAGE };
    };
    const providers: string[] = [];
    for (let request = 0; request < 3; request++)
      providers.push((await inference.run(asking({}), contextOf(undefined, time.clock()))).provider);
    expect(providers).toEqual(["cheap", "expensive", "expensive"]);
  });

  it("is one that the request allows, for named and routed models, and OpenRouter gets what is its own", async () => {
    const openrouter = new FakeProvider("openrouter", answers("hi"));
    const deployments = [cheap, deploymentOf("openrouter", MODEL, { price: priceOf(3, 3) })];
    const { inference } = startInference([new FakeProvider("cheap", answers("hi")), openrouter], {
      deployments,
    });
    const hosts = { only: ["deepinfra"], sort: "latency" };
    expect((await inference.run(asking(hosts), contextOf())).provider).toBe("openrouter");
    expect(openrouter.calls.map(({ body }) => body.provider)).toEqual([hosts]);
    await expect(
      inference.run(asking({ only: ["nowhere"], ignore: ["openrouter"] }), contextOf()),
    ).rejects.toMatchObject({
      ...{ status: 404, code: "provider_not_found" },
      message: expect.stringContaining("cheap: `only` does not name it; openrouter: `ignore` names it"),
    });
  });

  it("is named in a decision that is not executed, with the reason", async () => {
    const deployments = [
      deploymentOf("lab", "medium", { price: priceOf(2, 2) }),
      deploymentOf("other", "medium", { price: priceOf(1, 1) }),
      deploymentOf("lab", "small", { price: priceOf(1, 1) }),
    ];
    const { inference } = startInference([new FakeProvider("lab"), new FakeProvider("other")], {
      deployments,
    });
    const body = { messages: [{ role: "user", content: "hello" }] };
    const { routing } = await inference.decide(
      { body, metadata: {}, choice: routed(["medium", "small"]) },
      contextOf(),
    );
    expect(routing).toMatchObject({
      selected_model: "medium",
      selected_provider: "other",
      host: { reason: "price" },
    });
    const only = { ...routed(["medium", "small"]), hosts: { ignore: ["other"] } };
    const restricted = await inference.decide({ body, metadata: {}, choice: only }, contextOf());
    expect(restricted.routing.selected_provider).toBe("lab");
    expect(restricted.routing).not.toHaveProperty("host");
  });
});

describe("A reply of another model", () => {
  const started = (
    servedModel: "record" | "fail",
    ...scripts: ConstructorParameters<typeof FakeProvider>[1][]
  ) =>
    startInference(
      [
        new FakeProvider("cheap", ...scripts),
        new FakeProvider("expensive", answersAs(MODEL), streamsAs(MODEL)),
      ],
      {
        ...{ deployments: [cheap, expensive], settings: { servedModel } },
      },
    );

  it("is recorded, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const { inference, trace } = started(
        "record",
        stream ? streamsAs("gpt-4.1-nano") : answersAs("gpt-4.1-nano"),
      );
      const answer = await inference.run({ ...asking({}), stream }, contextOf());
      if (stream) await readAll(asStream(answer));
      expect(trace().attempts).toMatchObject([
        { provider: "cheap", code: "ok", served_model: "gpt-4.1-nano" },
      ]);
    }
  });

  it("has the other providers asked first from then on, a conversation's cache notwithstanding", async () => {
    const { inference, sink } = started("record", answersAs("gpt-4.1-nano"), answersAs(MODEL));
    const conversation = { ...asking({}), metadata: { conversation_id: "c1" } };
    await inference.run(conversation, contextOf());
    await inference.run(conversation, contextOf());
    expect(sink.traces.at(-1)?.attempts).toMatchObject([
      { provider: "expensive", code: "ok", host: { reason: "health" } },
    ]);
  });

  it("is none for a dated name, or without a name", async () => {
    for (const script of [answersAs("gpt-4o-mini-2024-07-18"), answers("hi")]) {
      const { inference, trace } = started("fail", script);
      asCompletion(await inference.run(asking({}), contextOf()));
      expect(trace().attempts.map((attempt) => [attempt.code, attempt.served_model])).toEqual([
        ["ok", undefined],
      ]);
    }
  });

  it("fails where the settings say so: the next provider is asked, and what it used is billed", async () => {
    const { inference, trace } = started("fail", answersAs("gpt-4.1-nano"));
    expect((await inference.run(asking({}), contextOf())).provider).toBe("expensive");
    expect(trace().attempts).toMatchObject([
      {
        ...{ provider: "cheap", code: "wrong_model", served_model: "gpt-4.1-nano" },
        usage: { prompt_tokens: 10, completion_tokens: 4 },
        message: "cheap was asked for gpt-4o-mini and answered with gpt-4.1-nano.",
      },
      { provider: "expensive", code: "ok" },
    ]);
  });

  it("fails before the first content of a stream, and what it generated is estimated", async () => {
    const { inference, traced } = startInference(
      [new FakeProvider("cheap", streamsAs("gpt-4.1-nano")), new FakeProvider("expensive", streamsAs(MODEL))],
      { ...{ deployments: [cheap, expensive], settings: { servedModel: "fail" } } },
    );
    await readAll(asStream(await inference.run({ ...asking({}), stream: true }, contextOf())));
    expect((await traced()).attempts).toMatchObject([
      { provider: "cheap", code: "wrong_model", usage: { estimated: true } },
      { provider: "expensive", code: "ok" },
    ]);
  });
});
