/** Files on `auto`, as the SDKs of OpenAI and Anthropic send them: models are judged by what the files say. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encryptedPdf, pdfOf, pdfUrl } from "../../fakes/pdf.js";
import { bodySeen, type Gateway, KEY, messageReply, startGateway } from "./gateway.js";

let gateway: Gateway;
let openai: OpenAI;
beforeAll(async () => {
  gateway = await startGateway();
  openai = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.anthropic.answer(messageReply([{ type: "text", text: "Done." }])));

const router = { models: ["claude-haiku-4-5-20251001", "claude-opus-4-5-20251101"], cost_weight: 0 };
const PROOF = "Prove that every finite group of odd order is solvable.";
const fileOf = (url: string) => ({ type: "file" as const, file: { filename: "a.pdf", file_data: url } });

interface Routing {
  readonly reason: string;
  readonly candidates: readonly { readonly model: string; readonly expected_quality: number }[];
}

async function decided(content: unknown): Promise<Routing> {
  const reply = await fetch(`${gateway.address}/v1/router`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content }], execute: false, ...router }),
  });
  const { routing } = (await reply.json()) as { readonly routing: Routing };
  return routing;
}

const qualities = ({ candidates }: Routing) =>
  new Map(candidates.map(({ model, expected_quality }) => [model, expected_quality]));

describe("A PDF on `auto`", () => {
  const ask = { type: "text", text: "Do what the file asks for." };

  it("is judged as if its text were in the message", async () => {
    const asFile = await decided([ask, fileOf(pdfUrl(pdfOf([PROOF])))]);
    const asText = await decided([ask, { type: "text", text: PROOF }]);
    expect(qualities(asFile)).toEqual(qualities(asText));
    expect(qualities(asFile)).not.toEqual(qualities(await decided([ask])));
  });

  it("that is encrypted leaves the decision to the rest of the text, and the decision says so", async () => {
    const { reason, ...routing } = await decided([ask, fileOf(pdfUrl(encryptedPdf()))]);
    expect(reason).toContain("; a file was not read: it is encrypted");
    expect(qualities({ reason, ...routing })).toEqual(qualities(await decided([ask])));
  });

  it("reaches the model as it came, by chat completions, Responses and Messages", async () => {
    const url = pdfUrl(pdfOf([PROOF]));
    const data = url.slice(url.indexOf(",") + 1);
    const sent = { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
    const body = { model: "auto", router } as const;
    const content = [{ type: "text" as const, text: ask.text }, fileOf(url)];
    await openai.chat.completions.create({ ...body, messages: [{ role: "user", content }] } as never);
    expect(bodySeen(gateway.anthropic)).toMatchObject({ messages: [{ content: [ask, sent] }] });
    const input = [
      {
        role: "user" as const,
        content: [
          { type: "input_text" as const, text: ask.text },
          { type: "input_file" as const, filename: "a.pdf", file_data: url },
        ],
      },
    ];
    await openai.responses.create({ ...body, input } as never);
    expect(bodySeen(gateway.anthropic)).toMatchObject({ messages: [{ content: [ask, sent] }] });
    const anthropic = new Anthropic({ baseURL: gateway.address, apiKey: KEY, maxRetries: 0 });
    const reply = await anthropic.messages.create({
      ...{ ...body, max_tokens: 1000 },
      messages: [{ role: "user", content: [ask, sent] }],
    } as never);
    expect(bodySeen(gateway.anthropic)).toMatchObject({ messages: [{ content: [ask, sent] }] });
    expect(reply).toMatchObject({ content: [{ text: "Done." }] });
  });
});

describe("A file of text", () => {
  it("is a document of text for Claude", async () => {
    const file = fileOf(`data:text/markdown;base64,${Buffer.from("# Größe").toString("base64")}`);
    const body = { model: "auto", router, messages: [{ role: "user", content: [file] }] };
    await openai.chat.completions.create(body as never);
    expect(bodySeen(gateway.anthropic)).toMatchObject({
      messages: [{ content: [{ source: { type: "text", media_type: "text/plain", data: "# Größe" } }] }],
    });
  });
});
