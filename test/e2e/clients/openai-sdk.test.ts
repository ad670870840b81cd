/** The real `openai` package against the server on loopback: what its users do works, and errors are its typed ones. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SextantError } from "../../../src/foundation/errors.js";
import { fakeRouting, HELLO, streamedAnswer, USAGE, wholeAnswer } from "../../fakes/inference.js";
import { KEY } from "../../gateway/server.js";
import { ASKED_IMAGE, brokenStream, IMAGE_URL, limit, noSuchModel, serverForClient } from "./at-vendors.js";
import { MAJORS, NEWEST, OPENAI } from "./majors.js";
import { saying } from "./tool-answers.js";

const server = serverForClient();
const { inference } = server;
const model = "gpt-4o-mini";
const hello = { role: "user" as const, content: "hello" };
const ask = { model, messages: [hello] };
const schema = z.object({ city: z.string() });

describe.each(MAJORS)("Of major %i,", (major) => {
  const { OpenAI: Client, zodResponseFormat, zodTextFormat } = OPENAI[major];
  const open = (changes: { apiKey?: string; maxRetries?: number } = {}) =>
    new Client({ baseURL: `${server.origin}/v1`, apiKey: KEY, maxRetries: 0, ...changes });

  describe("the openai package in chat completions", () => {
    it("holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
      const { chat } = open();
      const completion = await chat.completions.create({ ...ask, temperature: 0.2 });
      expect(completion).toMatchObject({
        choices: [{ message: { content: "Hello!" }, finish_reason: "stop" }],
        usage: USAGE,
      });
      expect(completion._request_id).toMatch(/^req_/);
      expect(inference.runs[0]?.request.body).toEqual({ messages: [hello], temperature: 0.2 });

      const image = { type: "image_url" as const, image_url: { url: IMAGE_URL } };
      await chat.completions.create({ model, messages: [{ role: "user", content: [image] }] });
      expect(server.messagesOf(1)).toEqual([{ role: "user", content: [ASKED_IMAGE] }]);

      // Simple loops expect a choice in every chunk.
      for await (const part of await chat.completions.create({ ...ask, stream: true }))
        expect(part.choices[0]?.delta).toBeDefined();

      inference.outcomes.push(saying('{"city":"Oslo"}'));
      const format = zodResponseFormat(schema, "place");
      const parsed = await chat.completions.parse({ ...ask, response_format: format });
      expect(parsed.choices[0]?.message.parsed).toEqual({ city: "Oslo" });
      expect(inference.runs.at(-1)?.request.body.response_format).toEqual(JSON.parse(JSON.stringify(format)));
      if (major === NEWEST) await server.vendorsTakeWhatWasSent();
    });

    it("passes the gateway's fields on, and gets the decision, whole and at the begin of a stream", async () => {
      const { chat } = open();
      const ours = { fallbacks: ["claude-3-5-haiku-20241022"], router: { cost_weight: 0.3 } };
      const body = { ...ask, model: "auto", ...ours };
      const routing = await fakeRouting();
      inference.outcomes.push(wholeAnswer({ routing }), streamedAnswer(HELLO, { routing }));
      const { data, response } = await chat.completions.create(body).withResponse();
      expect(inference.runs[0]?.request).toMatchObject({
        choice: { type: "routed", costWeight: 0.3 },
        fallbacks: ours.fallbacks,
      });
      expect(data).toHaveProperty("routing.selected_model", "large");
      expect(response.headers.get("x-routing-provider")).toBe("openai");
      const final = await chat.completions.stream({ ...ask, model: "auto" }).finalChatCompletion();
      expect(final.choices[0]?.message).toMatchObject({ role: "assistant", content: "Hello!" });
    });
  });

  it("the openai package in Responses holds a conversation: texts, images, streams, tools and structured output, which every vendor takes", async () => {
    const { responses } = open();
    const response = await responses.create({ model, input: "hello", instructions: "Be brief." });
    expect([response.status, response.output_text]).toEqual(["completed", "Hello!"]);
    expect(response.usage).toMatchObject({ input_tokens: 9, total_cost_usd: USAGE.total_cost_usd });
    expect(server.messagesOf(0)).toEqual([{ role: "system", content: "Be brief." }, hello]);

    const image = { type: "input_image" as const, image_url: IMAGE_URL, detail: "auto" as const };
    await responses.create({ model, input: [{ role: "user", content: [image] }] });
    expect(server.messagesOf(1)).toEqual([{ role: "user", content: [ASKED_IMAGE] }]);

    inference.outcomes.push(saying('{"city":"Oslo"}'));
    const format = zodTextFormat(schema, "place");
    const parsed = await responses.parse({ model, input: "Where?", text: { format } });
    expect(parsed.output_parsed).toEqual({ city: "Oslo" });
    if (major === NEWEST) await server.vendorsTakeWhatWasSent();
  });

  it("the openai package completes texts, embeds, and lists models, whose ids may have slashes and spaces", async () => {
    const { completions, embeddings, models } = open();
    const old = { model, prompt: "Say hello" };
    expect((await completions.create(old)).choices[0]?.text).toBe("Hello!");
    let text = "";
    for await (const part of await completions.create({ ...old, stream: true }))
      text += part.choices[0]?.text ?? "";
    expect(text).toBe("Hello!");
    const list = await embeddings.create({ model: "text-embedding-3-small", input: ["a moth", "a drawer"] });
    expect(list.data.map(({ embedding }) => embedding)).toEqual([
      [0.5, 0, -1],
      [0.5, 1, -1],
    ]);
    const ids: string[] = [];
    for await (const { id } of models.list()) ids.push(id);
    // One of the two has a profile, so that there is nothing for `auto` to choose between.
    expect(ids).toEqual(["gpt-4o-mini", "lab/own model", "sextant"]);
    expect(await models.retrieve("lab/own model")).toMatchObject({ id: "lab/own model", owned_by: "lab" });
  });

  describe("errors in the openai package", () => {
    const caught = async (work: PromiseLike<unknown>) => {
      const error: unknown = await Promise.resolve(work).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof Client.APIError)) throw new Error("no APIError was thrown");
      return error;
    };
    const asking = (changes: object = {}) => open().chat.completions.create({ ...ask, ...changes });

    it("are its classes, with status, code, field and request", async () => {
      const refused = await caught(open({ apiKey: "pk_live_wrong" }).chat.completions.create(ask));
      expect(refused).toBeInstanceOf(Client.AuthenticationError);
      expect(refused).toMatchObject({ status: 401, code: "invalid_api_key", type: "authentication_error" });
      expect(refused.requestID).toMatch(/^req_/);
      const invalid = await caught(asking({ temperature: 3 }));
      expect(invalid).toBeInstanceOf(Client.BadRequestError);
      expect(invalid).toMatchObject({ code: "invalid_request", param: "temperature" });
      inference.outcomes.push(noSuchModel());
      expect(await caught(asking())).toBeInstanceOf(Client.NotFoundError);
      inference.outcomes.push(new SextantError("upstream_error", "All failed.", { extra: { attempts: [] } }));
      expect(await caught(asking({ stream: true }))).toBeInstanceOf(Client.InternalServerError);
    });

    it("say how long to wait, and are retried then", async () => {
      inference.outcomes.push(limit());
      const error = await caught(asking());
      expect(error).toBeInstanceOf(Client.RateLimitError);
      expect([error.headers?.get("retry-after"), error.headers?.get("retry-after-ms")]).toEqual(["1", "1"]);
      const overloaded = new SextantError("overloaded", "Too much.", { extra: { retry_after: 0.001 } });
      inference.outcomes.push(limit(), overloaded);
      const patient = open({ maxRetries: 2 });
      expect((await patient.chat.completions.create(ask)).choices[0]?.message.content).toBe("Hello!");
      expect(inference.runs).toHaveLength(4);
    });

    it("come in the middle of a stream, after the content before it", async () => {
      inference.outcomes.push(brokenStream(), brokenStream());
      let text = "";
      const reading = async () => {
        for await (const part of await open().chat.completions.create({ ...ask, stream: true }))
          text += part.choices[0]?.delta.content ?? "";
      };
      expect(await caught(reading())).toMatchObject({ code: "upstream_error", type: "api_error" });
      expect(text).toBe("Hel");
      const events = await open().responses.create({ model, input: "hello", stream: true });
      const readingEvents = async () => {
        for await (const _ of events);
      };
      await expect(readingEvents()).rejects.toThrow("It broke off.");
    });
  });
});
