import { readFileSync } from "node:fs";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder, removeFolder, type ServerProcess, startServe } from "../e2e/server-process.js";
import { KEY } from "../gateway/server.js";
import { FUZZ_TIMEOUT_MS, fuzz } from "./effort.js";
import { mutatedBytes } from "./hostile-values.js";
import { type JsonSchema, valuesOf } from "./schema-values.js";

/** Resident memory of a server that answered some thousands of requests; twice what it takes in a steady state. */
const MOST_RESIDENT_MB = 800;
const RUNS_AN_OPERATION = 8;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body: JsonSchema | undefined;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "query" | "path" | "header";
    readonly schema: JsonSchema;
  }[];
}

interface DocumentedOperation {
  readonly parameters?: Operation["parameters"];
  readonly requestBody?: { content: { "application/json"?: { schema: JsonSchema } } };
}
interface OpenApi {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
}

let folder: string;
let server: ServerProcess;
let operations: readonly Operation[];

beforeAll(async () => {
  folder = newFolder();
  server = await startServe(folder, { SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_SANDBOX: "true" });
  const document = (await (await fetch(`${server.address}/openapi.json`)).json()) as OpenApi;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content["application/json"]?.schema,
    })),
  );
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

const residentMb = (): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]) * 1024) / 1e6;

/** Requests of an operation, as its schema says and wrong somewhere. */
function requestsOf({ path, parameters, body }: Operation) {
  const values = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, fc.option(valuesOf(schema, name), { freq: 1 })]),
  );
  return fc.record({
    url: fc.record(values).map((given) => {
      const query = new URLSearchParams();
      let filled = path;
      for (const parameter of parameters) {
        const value = given[parameter.name] ?? null;
        // As bytes and back: a lone surrogate cannot be part of a URL. A very long one is refused by the HTTP parser.
        const text = Buffer.from(String(value ?? "x").slice(0, 300)).toString();
        if (parameter.in === "path") filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(text));
        else if (parameter.in === "query" && value !== null) query.set(parameter.name, text);
      }
      return query.size === 0 ? filled : `${filled}?${query}`;
    }),
    body: body === undefined ? fc.constant(undefined) : valuesOf(body).map((value) => JSON.stringify(value)),
  });
}

/** fast-check tries examples first, and mutates nothing of them. */
function examplesOf(name: string, { path }: Operation): [{ url: string; body: string | undefined }][] {
  const right = RIGHT[name];
  return right === undefined || right === null ? [] : [[{ url: path, body: JSON.stringify(right) }]];
}

/** Asked with the admin key, which may do everything. */
async function ask(method: string, url: string, body: string | undefined) {
  const headers = { "x-api-key": KEY, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const reply = await fetch(server.address + url, { method, headers, body: body ?? null });
  return { status: reply.status, text: await reply.text() };
}

describe("Every operation of the API", () => {
  it(
    "answers valid and invalid requests generated from its schema without status 500 and in bounded memory",
    async () => {
      const succeeded = new Set<string>();
      for (const operation of operations) {
        const name = `${operation.method} ${operation.path}`;
        await fuzz(
          fc.asyncProperty(requestsOf(operation), async ({ url, body }) => {
            const { status, text } = await ask(operation.method, url, body);
            if (status < 300) succeeded.add(name);
            const detail = `${name}: ${status} ${text.slice(0, 500)}`;
            expect(status, detail).not.toBe(500);
            if (status < 400) return;
            expect(JSON.parse(text), detail).toMatchObject(
              operation.path.startsWith("/v1/messages")
                ? { type: "error", error: { message: expect.any(String) } }
                : { error: { code: expect.any(String), message: expect.any(String) } },
            );
          }),
          { runs: RUNS_AN_OPERATION, share: 1 / operations.length, examples: examplesOf(name, operation) },
        );
      }
      // A fuzzer whose requests are all refused tests the validation only.
      const withBody = operations.filter(({ body }) => body !== undefined);
      const names = withBody.map(({ method, path }) => `${method} ${path}`);
      expect(names.sort()).toEqual(Object.keys(RIGHT).sort());
      const expected = Object.keys(RIGHT).filter((name) => RIGHT[name] !== null);
      expect(expected.filter((name) => !succeeded.has(name))).toEqual([]);
      expect(residentMb()).toBeLessThan(MOST_RESIDENT_MB);
      expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );
});

const messages = [{ role: "user", content: "What is 2 + 2?" }];

/** A request of each operation with a body that succeeds, or null where one needs what only another request makes. */
const RIGHT: Readonly<Record<string, object | null>> = {
  "POST /v1/chat/completions": { model: "gpt-4o-mini", messages },
  "POST /v1/completions": { model: "gpt-4o-mini", prompt: "What is 2 + 2?" },
  "POST /v1/responses": { model: "gpt-4o-mini", input: "What is 2 + 2?" },
  "POST /v1/responses/compact": { model: "gpt-4o-mini", input: "What is 2 + 2?" },
  "POST /v1/messages": { model: "gpt-4o-mini", max_tokens: 10, messages },
  "POST /v1/messages/count_tokens": { model: "gpt-4o-mini", messages },
  "POST /v1/embeddings": { model: "sextant", input: "What is 2 + 2?" },
  "POST /v1/router": { messages, execute: false },
  "POST /v1/feedback": null,
  "POST /admin/traces/{request_id}/route": null,
  "POST /admin/alerts/test": {},
  "POST /admin/alerts/silences": { rule: "error_rate", subject: "all requests", reason: "tried out" },
  "PATCH /admin/settings": { auto_cost_weight: 0.3 },
  "POST /admin/pauses": { kind: "model", target: "gpt-4.1-nano", reason: "tried out" },
  "POST /admin/router/explain": { messages },
  "PATCH /admin/keys/{id}": null,
  "POST /admin/keys/{id}/rotate": null,
  "POST /admin/providers/{id}/test": null,
  "POST /admin/keys": { name: "app", scopes: ["inference"] },
};

const REQUEST = Buffer.from(
  `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n` +
    'content-length: 62\r\n\r\n{"model":"auto","messages":[{"role":"user","content":"Hello"}]}',
);

/** Sends bytes and reads what comes until the server closes, or says nothing more for a moment. */
function exchange(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(server.port, "127.0.0.1", () => socket.end(bytes));
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(parts).toString("latin1")));
  });
}

describe("The HTTP server", () => {
  it(
    "answers damaged requests without status 500, and continues",
    async () => {
      await fuzz(
        fc.asyncProperty(mutatedBytes(REQUEST), async (bytes) => {
          const reply = await exchange(bytes);
          for (const [, status] of reply.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) expect(status).not.toBe("500");
        }),
        { runs: 60 },
      );
      expect((await ask("GET", "/v1/models", undefined)).status).toBe(200);
    },
    FUZZ_TIMEOUT_MS,
  );

  it("logs neither keys nor prompts of unreadable requests", () => {
    expect(server.stderr() + server.stdout()).not.toContain(KEY);
  });
});
