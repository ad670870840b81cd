/** Whatever reads the server's output, such as a log shipper, may end before the server does. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { KEY } from "../gateway/server/server.js";
import { newFolder, removeFolder, startServe } from "./server-process.js";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => removeFolder(folder));

it.each(["1", "2"])(
  "a server of %s processes goes on when no one reads what it prints and logs",
  async (workers) => {
    const server = await startServe(folder, {
      ...{ SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_WORKERS: workers, SEXTANT_SANDBOX: "true" },
      ...{ SEXTANT_LOG_LEVEL: "trace", SEXTANT_CH_ENABLED: "false" },
    });
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    const statuses: number[] = [];
    for (let call = 0; call < 6; call++) {
      const response = await fetch(`${server.address}/v1/router`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content: `What is 2 + ${call}?` }] }),
      });
      await response.text();
      statuses.push(response.status);
    }
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
    expect(await server.stop()).toBe(0);
  },
);
