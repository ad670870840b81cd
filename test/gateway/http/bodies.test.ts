/** How large a body may be, how it may be compressed, and how replies are. Over a real connection, as clients send them. */
import { execFile } from "node:child_process";
import { createConnection } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wholeAnswer } from "../../fakes/inference.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { serverLimits } from "../../support/server-limits.js";
import { ADMIN_KEY, helloChat, KEY, listening, startTestServer } from "../server.js";
import { traceWith } from "../traces/trace-for-test.js";

const run = promisify(execFile);

const MOST = 4_000_000;
const store = new MemoryTraceStore();
const { app, inference } = startTestServer({
  traces: store,
  limits: serverLimits({ maxBodyBytes: MOST }),
});
afterAll(() => app.close());

let url = "";
beforeAll(async () => {
  url = `http://127.0.0.1:${await listening(app)}`;
});

const post = (body: NonNullable<RequestInit["body"]>, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", "x-api-key": KEY, ...headers },
    ...(body instanceof ReadableStream && { duplex: "half" }),
  } as RequestInit);

const errorOf = async (reply: Response) =>
  ((await reply.json()) as { error: { code: string; message: string } }).error;

describe("A body that is too large", () => {
  it("is refused with 413 that Node's fetch and OpenAI's SDK read while they are still sending, every time", async () => {
    const sizes = [MOST, 8_000_000, 24_000_000].map(String);
    const script = fileURLToPath(new URL("large-body-client.mjs", import.meta.url));
    const { stdout } = await run(process.execPath, [script, url, KEY, ...sizes]);
    expect(JSON.parse(stdout)).toEqual(Array(9).fill("request_too_large"));
  });

  it("is read no further than the limit of what is dropped: then its connection is closed", async () => {
    const small = startTestServer({ limits: serverLimits({ maxBodyBytes: 2000 }) });
    const socket = createConnection(await listening(small.app), "127.0.0.1");
    let reply = "";
    socket.on("data", (data) => {
      reply += data;
    });
    socket.on("error", () => {});
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: 900000000\r\n\r\n`);
    let sent = 0;
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536, " "))) sent += 65_536;
    };
    socket.on("drain", more);
    more();
    await new Promise((resolve) => socket.once("close", resolve));
    expect(reply).toContain(" 413 ");
    expect(sent).toBeLessThan(900_000_000);
    await small.app.close();
  });
});

/** `helloChat` with a long `user` by zstd 1.5 at level 3, from a pipe: without its length, as Codex sends it. */
const HELLO_ZSTD = Buffer.from(
  "KLUv/QRYdQIAkgQQGKC1GQM1fELAy64AJUca0QFEUOS8vKrBAW2BFG3NxMD3SriSHpMV7uAbU9WMuBeNsYto8kkHFR3KEpjvRICiWQMALyUJTQeGY9MMe3AJcQ==",
  "base64",
);

/** Blocks of 131,072 spaces. */
function spacesInZstd(blocks: number): Buffer {
  const block = (isLast: boolean) => {
    const header = (131_072 << 3) | 2 | (isLast ? 1 : 0);
    return [header & 255, (header >> 8) & 255, header >> 16, 32];
  };
  const all = Array.from({ length: blocks }, (_, at) => block(at === blocks - 1));
  return Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, ...all.flat()]);
}

const inPieces = (bytes: Buffer) =>
  ReadableStream.from(
    Array.from({ length: bytes.length / 7 + 1 }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
  );

describe("A compressed body", () => {
  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("with content-encoding %s is read", async (encoding, compress) => {
    inference.outcomes.push(wholeAnswer());
    const before = inference.runs.length;
    const reply = await post(compress(JSON.stringify(helloChat)), { "content-encoding": encoding });
    expect([reply.status, inference.runs.length - before]).toEqual([200, 1]);
    expect(inference.runs.at(-1)?.request.body.messages).toEqual(helloChat.messages);
  });

  it("that came in pieces is read", async () => {
    inference.outcomes.push(wholeAnswer());
    const compressed = gzipSync(JSON.stringify({ ...helloChat, user: "x".repeat(100_000) }));
    expect((await post(inPieces(compressed), { "content-encoding": "gzip" })).status).toBe(200);
  });

  it.each([
    [MOST, 400, "invalid_request"],
    [20_000_000, 413, "request_too_large"],
  ])("of %d bytes once inflated, however small it came, is answered with %d", async (bytes, status, code) => {
    const bomb = gzipSync(Buffer.alloc(bytes, " "));
    expect(bomb.length).toBeLessThan(MOST);
    const reply = await post(bomb, { "content-encoding": "gzip" });
    expect([reply.status, (await errorOf(reply)).code]).toEqual([status, code]);
  });

  // As Codex sends them: https://github.com/zyycn/codex-proxy-rs/pull/66 (2026-09-11), https://github.com/SaladDay/cc-switch-cli/issues/469
  // (2026-09-18), https://github.com/james-6-23/codex2api/pull/388 (2026-07-15)
  it("with content-encoding zstd is read, in pieces too", async () => {
    inference.outcomes.push(wholeAnswer(), wholeAnswer());
    const zstd = { "content-encoding": "zstd" };
    const replies = [await post(HELLO_ZSTD, zstd), await post(inPieces(HELLO_ZSTD), zstd)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(inference.runs.at(-1)?.request.body.messages).toEqual(helloChat.messages);
  });

  it.each([
    ["is a bomb", spacesInZstd(200), 413, "request_too_large"],
    ["is as long as may be", spacesInZstd(30), 400, "invalid_request"],
    ["says so before it is compressed", Buffer.alloc(MOST + 1), 413, "request_too_large"],
    ["was cut off", HELLO_ZSTD.subarray(0, 40), 400, "invalid_request"],
    ["is changed", Buffer.from(HELLO_ZSTD).fill(7, 20, 40), 400, "invalid_request"],
    ["is none", Buffer.from(JSON.stringify(helloChat)), 400, "invalid_request"],
    ["is empty", Buffer.alloc(0), 400, "invalid_request"],
  ])("in zstd that %s is refused", async (_, body, status, code) => {
    const reply = await post(body, { "content-encoding": "zstd" });
    expect([reply.status, (await errorOf(reply)).code]).toEqual([status, code]);
  });

  it.each(["gzip, br", "compress", "x".repeat(200)])(
    "with content-encoding %s is refused with 415",
    async (encoding) => {
      const reply = await post("{}", { "content-encoding": encoding });
      expect(reply.status).toBe(415);
      expect((await errorOf(reply)).message).toContain("gzip, deflate, br or zstd");
    },
  );

  it.each([
    ["is no gzip", Buffer.from(JSON.stringify(helloChat))],
    ["was cut off", gzipSync(JSON.stringify(helloChat)).subarray(0, 40)],
    ["is empty", Buffer.alloc(0)],
  ])("that %s is refused with 400", async (_, body) => {
    const reply = await post(body, { "content-encoding": "gzip" });
    expect([reply.status, (await errorOf(reply)).code]).toEqual([400, "invalid_request"]);
  });
});

describe("A JSON reply", () => {
  const { completion } = wholeAnswer();
  const long = wholeAnswer({
    completion: { ...completion, note: "word ".repeat(4000) } as typeof completion,
  });
  const ask = (headers: Readonly<Record<string, string>>, answer = long) => {
    inference.outcomes.push(answer);
    return app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { "x-api-key": KEY, ...headers },
      payload: helloChat,
    });
  };

  it.each(["gzip", "gzip, deflate, br", "br;q=0.5, gzip;q=0.8", "*"])(
    "is compressed for a client that accepts %s",
    async (accepted) => {
      const plain = await ask({});
      const reply = await ask({ "accept-encoding": accepted });
      expect(reply.headers["content-encoding"]).toBe("gzip");
      expect(reply.headers.vary).toContain("accept-encoding");
      expect(reply.headers["content-length"]).toBe(String(reply.rawPayload.length));
      expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
      expect(JSON.parse(gunzipSync(reply.rawPayload).toString()).note).toBe(plain.json().note);
    },
  );

  it.each(["identity", "br", "gzip;q=0", "deflate"])(
    "is sent as it is to a client that accepts %s",
    async (accepted) => {
      expect((await ask({ "accept-encoding": accepted })).headers["content-encoding"]).toBeUndefined();
    },
  );

  it("is sent as it is when it is short", async () => {
    const reply = await ask({ "accept-encoding": "gzip" }, wholeAnswer());
    expect(reply.headers["content-encoding"]).toBeUndefined();
  });
});

describe("An answer to GET that is long enough to be compressed", () => {
  it("has a tag, and is not sent to a client that has it while only its request's id differs", async () => {
    const traces = (headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/admin/traces`, { headers: { "x-api-key": ADMIN_KEY, ...headers } });
    await store.append([traceWith()]);
    expect((await traces()).headers.get("etag")).toBeNull();
    await store.append(Array.from({ length: 99 }, () => traceWith()));
    const [first, second] = [await traces(), await traces({ "accept-encoding": "identity" })];
    const tag = first.headers.get("etag") ?? "";
    expect([tag, second.headers.get("etag")]).toEqual([expect.stringMatching(/^W\/"[\w-]{22}"$/), tag]);
    const body = async (reply: Response) => (await reply.json()) as Readonly<Record<string, unknown>>;
    expect((await body(first)).request_id).not.toBe((await body(second)).request_id);
    const same = await traces({ "if-none-match": tag });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", tag]);
    await store.append([traceWith()]);
    const changed = await traces({ "if-none-match": tag });
    expect([changed.status, (await body(changed)).total]).toEqual([200, 101]);
  });
});
