/**
 * The floor: the minimum of any proxy in Node. Reads a request, sends it through an undici pool, and pipes the reply,
 * without authentication, validation or accounting. Its upstream is `FLOOR_UPSTREAM`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

const pool = new Pool(process.env.FLOOR_UPSTREAM ?? "", { connections: 512 });

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", async () => {
    try {
      const reply = await pool.request({
        path: request.url ?? "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: Buffer.concat(parts),
      });
      response.writeHead(reply.statusCode, { "content-type": String(reply.headers["content-type"]) });
      reply.body.pipe(response);
    } catch {
      response.writeHead(502).end();
    }
  });
});
server.keepAliveTimeout = 60_000;
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void pool.destroy();
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
