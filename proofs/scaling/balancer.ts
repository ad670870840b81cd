import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Passes connections on to the servers in turn, as a load balancer of layer 4 does. */
export async function startBalancer(
  addresses: readonly string[],
): Promise<{ readonly address: string; close(): void }> {
  let next = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(addresses[next++ % addresses.length] ?? "");
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = server.address();
  if (own === null || typeof own === "string") throw new Error("the balancer has no port");
  return { address: `http://127.0.0.1:${own.port}`, close: () => server.close() };
}
