import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const CHUNKS = 40;
const CHUNK_MS = 10;
const USAGE = { prompt_tokens: 60, completion_tokens: CHUNKS, total_tokens: 60 + CHUNKS };
const RETRIABLE = 503;

export interface SoakUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A provider whose streams take as long as those of a model, and part of whose replies fail: refused, cut off, or closed
 * without a reply.
 */
export async function startUpstream(options: {
  readonly faultShare: number;
  readonly random: () => number;
}): Promise<SoakUpstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { stream = false } = JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean };
      const fails = options.random() < options.faultShare;
      if (fails) fail(response, Math.floor(options.random() * 3), stream);
      else if (stream) void sendStream(response, CHUNKS);
      else response.writeHead(200, { "content-type": "application/json" }).end(COMPLETION);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fail(response: ServerResponse, kind: number, stream: boolean): void {
  if (kind === 0) response.destroy();
  else if (kind === 1 && stream) void sendStream(response, CHUNKS / 2).then(() => response.destroy());
  else {
    const error = { message: "the model is overloaded", type: "server_error" };
    response.writeHead(RETRIABLE, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  }
}

/** Ends the stream only when all its chunks are asked for. */
async function sendStream(response: ServerResponse, chunks: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let chunk = 0; chunk < chunks && !response.destroyed; chunk++) {
    response.write(event({ choices: [{ index: 0, delta: { content: " word" }, finish_reason: null }] }));
    await wait(CHUNK_MS);
  }
  if (chunks < CHUNKS || response.destroyed) return;
  response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  response.end(`${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`);
}

const event = (chunk: object): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...chunk })}\n\n`;

const COMPLETION = JSON.stringify({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage: USAGE },
  choices: [
    { index: 0, message: { role: "assistant", content: " word".repeat(CHUNKS) }, finish_reason: "stop" },
  ],
});
