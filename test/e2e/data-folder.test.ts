/** The data folder of a server: in use, left by servers that were killed, private to its owner, and one that may not be written. */
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAT_ONLY, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server.js";
import { asOpenAi, chatReply } from "./replies.js";
import { sampleSet } from "./sample-set.js";
import { newFolder, removeFolder, type ServeOptions, startServe } from "./server-process.js";
import { callerOf, traceOf } from "./whole-gateway.js";

/** Nothing is forbidden to the superuser, who therefore gives up the one right to write what others may not. */
const WITHOUT_PRIVILEGE =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override", "--"] : [];
const CAN_LACK_RIGHTS = process.platform === "linux" || process.getuid?.() !== 0;
/** What was left readable to all. */
const OF_EARLIER_ONES = ["traces.duckdb.wal.damaged", "state.db.backup", "spill/0000000001.damaged"];

let folder = "";
let data = "";
beforeEach(() => {
  folder = newFolder();
  data = join(folder, "data");
  mkdirSync(data);
});
afterEach(() => {
  chmodSync(data, 0o755);
  removeFolder(folder);
});

const start = (environment: Readonly<Record<string, string>> = {}, options: ServeOptions = {}) =>
  startServe(
    folder,
    { SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_PROFILES: sampleSet(), ...environment },
    options,
  );

/** Everything in a folder that others can open, with its mode. */
function openToOthers(path: string): string[] {
  const status = statSync(path);
  const inside = status.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [];
  const mode = status.mode & 0o777;
  return [
    ...((mode & 0o077) === 0 ? [] : [`${path.slice(data.length)} ${mode.toString(8)}`]),
    ...inside.flatMap(openToOthers),
  ];
}

it("A data folder in use is refused to a second server with its name and the remedy, and is free at once when the first one was killed", async () => {
  const server = await start();
  await expect(start()).rejects.toThrow(
    `sextant: ${data} is used by another server (process ${server.child.pid}), and only one can. Stop that one, or give ` +
      "this one a folder of its own with SEXTANT_DATA_DIR.",
  );
  expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
  const ended = once(server.child, "exit");
  server.child.kill("SIGKILL");
  await ended;
  const next = await start();
  expect(await next.stop()).toBe(0);
});

it.each(["stopped", "killed"] as const)(
  "A folder is private to its owner, and its copy has keys, spending and traces once its server was %s",
  async (ending) => {
    chmodSync(data, 0o755);
    for (const name of OF_EARLIER_ONES) {
      mkdirSync(dirname(join(data, name)), { recursive: true });
      writeFileSync(join(data, name), "half of it", { mode: 0o644 });
      utimesSync(join(data, name), new Date(0), new Date(0));
    }
    const upstream = await UpstreamServer.start(CHAT_ONLY);
    const usage = { prompt_tokens: 100_000, completion_tokens: 0, total_tokens: 100_000 };
    upstream.answer(chatReply({ content: "4" }, "stop", { usage }));
    const server = await start({ SEXTANT_TRACE_FLUSH_MS: "20", ...asOpenAi(upstream) });

    const call = callerOf(server.address);
    const limits = { requests_per_minute: 1000, usd_per_month: 5 };
    const made = await call("/admin/keys", { body: { name: "limited", scopes: ["inference"], limits } });
    const { key } = made.json();
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "a secret" }] };
    const answered = await call("/v1/chat/completions", { key, body });
    expect(answered.status).toBe(200);
    await traceOf(call, answered.requestId);
    expect(readdirSync(data)).toContain("traces.duckdb.wal");
    expect(openToOthers(data)).toEqual([]);
    if (ending === "stopped") await server.stop();
    else {
      const ended = once(server.child, "exit");
      server.child.kill("SIGKILL");
      await ended;
    }
    expect(openToOthers(data)).toEqual([]);
    await upstream.close();

    const restored = join(folder, "restored");
    cpSync(data, restored, { recursive: true });
    const next = await start({ SEXTANT_DATA_DIR: restored, SEXTANT_METRICS_KEY_NAMES: "true" });
    const again = callerOf(next.address);
    await traceOf(again, answered.requestId);
    expect((await again("/readyz")).json()).not.toHaveProperty("parts.traces.lost");
    expect((await again("/v1/models", { key })).status).toBe(200);
    // A hundred thousand prompt tokens of this model cost 1.5 cents, of a budget of 5 dollars.
    const { text: metrics } = await again("/metrics");
    const used = /^sextant_key_limit_used_ratio\{key_id="key_\w+",key="limited",limit="budget"\} (\S+)$/m;
    expect(Number(used.exec(metrics)?.[1])).toBeCloseTo(0.003, 9);
    await next.stop();
  },
);

describe.skipIf(!CAN_LACK_RIGHTS)("A data folder that may not be written", () => {
  beforeEach(() => chmodSync(data, 0o555));
  const expected = () =>
    `${data}/state.db cannot be written: permission denied (EACCES). ` +
    "Give the user of this process the right to write there, or set SEXTANT_DATA_DIR to a writable folder.";

  it("is named by the API, which goes on with the keys that there are", async () => {
    const server = await start({}, { under: WITHOUT_PRIVILEGE });
    const call = callerOf(server.address);
    const refused = await call("/admin/keys", { body: { name: "my app", scopes: ["inference"] } });
    expect(refused.status).toBe(503);
    expect(refused.json().error).toMatchObject({ message: expected(), code: "storage_unavailable" });
    expect((await call("/admin/keys")).status).toBe(200);
    await server.stop();
  });
});
