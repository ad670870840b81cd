/** The data folder of a server: left by servers that were killed, and one that may not be written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAT_ONLY, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { MAIN, newFolder, removeFolder, startServe } from "./server-process.js";

/** Nothing is forbidden to the superuser, who therefore gives up the one right to write what others may not. */
const WITHOUT_PRIVILEGE =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override", "--"] : [];
const CAN_LACK_RIGHTS = process.platform === "linux" || process.getuid?.() !== 0;

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

const expected = () =>
  `${data}/keys.json cannot be written: permission denied (EACCES). ` +
  "Give the user of this process the right to write there, or set SEXTANT_DATA_DIR to a writable folder.";

async function run(...argv: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const [program = "", ...rest] = [...WITHOUT_PRIVILEGE, process.execPath, MAIN, ...argv];
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env.PATH, SEXTANT_DATA_DIR: data },
  });
  let stderr = "";
  child.stderr.on("data", (piece) => {
    stderr += String(piece);
  });
  return { code: await new Promise((resolve) => child.once("close", resolve)), stderr };
}

it("a server that starts removes locks and temporary files that killed ones left", async () => {
  const left = ["keys.json.0f0f.tmp", "keys.json.lock-0f0f", "spend.json.0f0f.tmp"];
  for (const name of left) {
    writeFileSync(join(data, name), "half of it");
    utimesSync(join(data, name), new Date(0), new Date(0));
  }
  const server = await startServe(folder, { SEXTANT_BOOTSTRAP_API_KEY: KEY });
  await expect
    .poll(() => readdirSync(data).filter((name) => left.includes(name) || name.includes(".lock")))
    .toEqual([]);
  await server.stop();
});

describe.each([{ workers: "1" }, { workers: "2" }])(
  "a data folder in use, with $workers workers",
  ({ workers }) => {
    const environment = {
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_CH_ENABLED: "false",
      SEXTANT_WORKERS: workers,
    };

    it("is refused to a second server with its name and the remedy, and the first one goes on", async () => {
      const server = await startServe(folder, environment);
      await expect(startServe(folder, environment)).rejects.toThrow(
        `sextant: ${data} is used by another server (process ${server.child.pid}), and only one can. Stop that one, or give ` +
          "this one a folder of its own with SEXTANT_DATA_DIR.",
      );
      expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
      await server.stop();
      expect(readdirSync(data)).not.toContain("server.sock");
    });

    it("is free at once when the server was killed", async () => {
      const server = await startServe(folder, environment);
      const ended = once(server.child, "exit");
      server.child.kill("SIGKILL");
      await ended;
      const next = await startServe(folder, environment);
      expect(await next.stop()).toBe(0);
    });
  },
);

const COMPLETION = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "4" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100_000, completion_tokens: 0, total_tokens: 100_000 },
};
const upstreamOf = ({ origin }: UpstreamServer) => ({
  OPENAI_API_KEY: "sk-test",
  OPENAI_BASE_URL: `${origin}/v1`,
});

it.each(["stopped", "killed"] as const)(
  "a copy of the folder of a server that was %s has its keys, spending and traces",
  async (ending) => {
    const upstream = await UpstreamServer.start(CHAT_ONLY);
    upstream.answer(jsonReply(COMPLETION));
    const server = await startServe(folder, { SEXTANT_TRACE_FLUSH_MS: "20", ...upstreamOf(upstream) });
    const key = /pk_live_\w+/.exec(server.stdout())?.[0] ?? "";
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const post = (address: string, path: string, body: object, used = headers) =>
      fetch(`${address}${path}`, { method: "POST", headers: used, body: JSON.stringify(body) });
    const messages = [{ role: "user", content: "What is 2 + 2?" }];
    const limits = { requests_per_minute: 1000, usd_per_month: 5 };
    const limited = (await (
      await post(server.address, "/admin/keys", { name: "limited", scopes: ["inference"], limits })
    ).json()) as { key: string };
    const answered = await post(
      server.address,
      "/v1/chat/completions",
      { model: "gpt-4o-mini", messages },
      { ...headers, "x-api-key": limited.key },
    );
    expect(answered.status).toBe(200);
    const path = `/v1/traces/${answered.headers.get("x-request-id")}`;
    await expect.poll(async () => (await fetch(`${server.address}${path}`, { headers })).status).toBe(200);
    if (ending === "stopped") await server.stop();
    else {
      const ended = once(server.child, "exit");
      server.child.kill("SIGKILL");
      await ended;
    }
    const restored = join(folder, "restored");
    // Node copies no sockets.
    cpSync(data, restored, { recursive: true, filter: (path) => !path.endsWith("server.sock") });

    const next = await startServe(folder, {
      SEXTANT_DATA_DIR: restored,
      SEXTANT_METRICS_KEY_NAMES: "true",
    });
    expect(next.stdout()).not.toContain("pk_live_");
    await expect.poll(async () => (await fetch(`${next.address}${path}`, { headers })).status).toBe(200);
    expect(await (await fetch(`${next.address}/readyz`)).json()).not.toHaveProperty("parts.traces.lost");
    const metrics = await (await fetch(`${next.address}/metrics`)).text();
    // A hundred thousand prompt tokens of this model cost 1.5 cents, of a budget of 5 dollars.
    const used =
      /^sextant_key_limit_used_ratio\{key_id="key_\w+",key="limited",limit="budget"\} (\S+)$/m.exec(
        metrics,
      )?.[1];
    expect(Number(used)).toBeCloseTo(0.003, 9);
    await next.stop();
    await upstream.close();
  },
);

/** Everything in a folder that others can open, with its mode. */
function openToOthers(path: string): string[] {
  const { mode } = statSync(path);
  const inside = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [];
  return [
    ...((mode & 0o077) === 0 ? [] : [`${path.slice(data.length)} ${(mode & 0o777).toString(8)}`]),
    ...inside.flatMap(openToOthers),
  ];
}

describe.skipIf(process.platform === "win32")("a data folder that was there before", () => {
  beforeEach(() => chmodSync(data, 0o755));

  it.each([{ workers: "1" }, { workers: "2" }])(
    "is private to its owner with all that a server with $workers workers writes into it",
    async ({ workers }) => {
      const upstream = await UpstreamServer.start(CHAT_ONLY);
      upstream.answer(jsonReply(COMPLETION));
      for (const name of ["traces.duckdb.wal.damaged", "keys.json.backup", "spill/0000000001.damaged"]) {
        mkdirSync(dirname(join(data, name)), { recursive: true });
        writeFileSync(join(data, name), "of an earlier version", { mode: 0o644 });
      }
      const server = await startServe(folder, {
        SEXTANT_TRACE_FLUSH_MS: "20",
        SEXTANT_BOOTSTRAP_API_KEY: KEY,
        SEXTANT_WORKERS: workers,
        ...upstreamOf(upstream),
      });
      const headers = { "x-api-key": KEY, "content-type": "application/json" };
      const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "a secret" }] };
      const answered = await fetch(`${server.address}/v1/chat/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const path = `/v1/traces/${answered.headers.get("x-request-id")}`;
      await expect.poll(async () => (await fetch(`${server.address}${path}`, { headers })).status).toBe(200);
      expect(readdirSync(data)).toContain("traces.duckdb.wal");
      expect(openToOthers(data)).toEqual([]);
      await server.stop();
      expect(openToOthers(data)).toEqual([]);
      await upstream.close();
    },
  );
});

describe.skipIf(!CAN_LACK_RIGHTS)("a data folder that may not be written", () => {
  beforeEach(() => chmodSync(data, 0o555));
  it("is named by the command that would create a key, with cause and remedy", async () => {
    expect(await run("keys", "create", "--name", "my app")).toEqual({
      code: 1,
      stderr: `sextant: ${expected()}\n`,
    });
  });

  it("is named by the API, which goes on with the keys that there are", async () => {
    const server = await startServe(folder, { SEXTANT_BOOTSTRAP_API_KEY: KEY }, { under: WITHOUT_PRIVILEGE });
    const headers = { "x-api-key": KEY, "content-type": "application/json" };
    const reply = await fetch(`${server.address}/admin/keys`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "my app", scopes: ["inference"] }),
    });
    expect([reply.status, await reply.json()]).toEqual([
      503,
      {
        error: { message: expected(), type: "api_error", code: "storage_unavailable", param: null },
        request_id: expect.stringMatching(/^req_/),
      },
    ]);
    expect((await fetch(`${server.address}/admin/keys`, { headers })).status).toBe(200);
    await server.stop();
  });
});
