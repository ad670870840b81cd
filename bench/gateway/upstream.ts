/**
 * The upstream of every gateway: answers chat completions at once, from memory. Streams have `CHUNKS` chunks of content;
 * `stream-timed` ones send one every `CHUNK_MS`, others as fast as they are taken. Prints its address and runs until it is told to
 * stop.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CHUNK_MS, CHUNKS } from "./load.js";

const usage = { prompt_tokens: 24, completion_tokens: CHUNKS, total_tokens: 24 + CHUNKS };
const head = { id: "chatcmpl-upstream", created: 1_763_600_000, model: "gpt-4o-mini-2024-07-18" };

const completion = JSON.stringify({
  ...head,
  object: "chat.completion",
  choices: [
    { index: 0, message: { role: "assistant", content: "An answer. ".repeat(40) }, finish_reason: "stop" },
  ],
  usage,
});

const event = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;

const first = event({ role: "assistant", content: "" });
/** All different: LiteLLM takes a hundred equal ones in a row for a loop of the model, and ends the stream. */
const contents = Array.from({ length: CHUNKS }, (_, chunk) => event({ content: ` word${chunk}` }));
const last =
  event({}, "stop") +
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n` +
  "data: [DONE]\n\n";

function sendStream(response: ServerResponse, pacing: unknown): void {
  const later = (task: () => void): unknown =>
    pacing === "stream-timed" ? setTimeout(task, CHUNK_MS) : setImmediate(task);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(first);
  let sent = 0;
  const next = (): void => {
    const content = contents[sent++];
    if (content === undefined) response.end(last);
    else {
      response.write(content);
      later(next);
    }
  };
  later(next);
}

const server = createServer((request, response) => {
  // Of OpenAI's APIs it has chat completions alone.
  if (request.url !== "/v1/chat/completions") {
    response.writeHead(404, { "content-type": "application/json" });
    response.end('{"error":{"message":"Not found","type":"invalid_request_error","code":null,"param":null}}');
    return;
  }
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    const { stream, user } = JSON.parse(body) as { stream?: boolean; user?: unknown };
    if (stream === true) return sendStream(response, user);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(completion);
  });
});
server.keepAliveTimeout = 60_000;
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
