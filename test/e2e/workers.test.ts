/** SEXTANT_WORKERS: several processes behind one port, with one writer of traces and one count of limits. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHAT_ONLY, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { asOpenAi, chatReply } from "./replies.js";
import { sampleSet } from "./sample-set.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";
import { callerOf, traceOf } from "./whole-gateway.js";

const WORKERS = 2;

let folder: string;
let upstream: UpstreamServer;
let server: ServerProcess;
beforeAll(async () => {
  folder = newFolder();
  upstream = await UpstreamServer.start(CHAT_ONLY);
  upstream.answer(chatReply({ content: "Hello." }));
  server = await startServe(folder, {
    SEXTANT_WORKERS: String(WORKERS),
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_TRACE_FLUSH_MS: "20",
    SEXTANT_PROFILES: sampleSet(),
    ...asOpenAi(upstream),
  });
});
afterAll(async () => {
  await upstream.close();
  removeFolder(folder);
});

/** Process ids of the workers, in the order in which they were started. Linux only. */
function workerIds(): number[] {
  const { pid } = server.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return children.map(Number).filter((id) => id > 0);
}

it("Workers behind one port count limits together, find each other's traces, are replaced when they are killed, and end with the server", async () => {
  expect(server.stdout().match(/sextant listening on/g)).toHaveLength(1);
  const call = callerOf(server.address);
  // On a connection of its own each, so that the workers take turns.
  const chat = (key: string) =>
    call("/v1/chat/completions", {
      ...{ key, headers: { connection: "close" } },
      body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
    });
  const created = await call("/admin/keys", {
    body: { name: "limited", scopes: ["inference"], limits: { requests_per_minute: 5 } },
  });
  const { key } = created.json();
  const answers = await Promise.all(Array.from({ length: 12 }, () => chat(key)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
  const answered = answers.find(({ status }) => status === 200)?.requestId ?? "";
  expect(await traceOf(call, answered)).toMatchObject({ status: "success" });

  const [victim = 0] = workerIds();
  process.kill(victim, "SIGKILL");
  await expect.poll(() => workerIds().filter((id) => id !== victim)).toHaveLength(WORKERS);
  const later = await chat(KEY);
  expect(later.status).toBe(200);
  for (const id of [answered, later.requestId])
    expect(await traceOf(call, id)).toMatchObject({ status: "success" });

  const workers = workerIds();
  expect(await server.stop()).toBe(0);
  for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow("ESRCH");
});
