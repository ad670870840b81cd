/**
 * A provider that answers chat completions after `UPSTREAM_DELAY_MS`, or never while it hangs: `POST /hang` and `POST
 * /answer` switch between the two. Prints its address and runs until it is told to stop.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const DELAY_MS = Number(process.env.UPSTREAM_DELAY_MS ?? 50);

const COMPLETION = JSON.stringify({
  ...{ id: "chatcmpl-upstream", object: "chat.completion", created: 1_763_600_000, model: "gpt-4o-mini" },
  choices: [{ index: 0, message: { role: "assistant", content: "An answer." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 24, completion_tokens: 3, total_tokens: 27 },
});

let hangs = false;

function answer(response: ServerResponse): void {
  if (response.destroyed) return;
  response.writeHead(200, { "content-type": "application/json" }).end(COMPLETION);
}

const server = createServer((request, response) => {
  request.resume();
  if (request.url === "/hang" || request.url === "/answer") {
    hangs = request.url === "/hang";
    response.writeHead(204).end();
  } else if (!hangs) setTimeout(() => answer(response), DELAY_MS);
});
server.keepAliveTimeout = 60_000;
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, "127.0.0.1", 4096, () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
