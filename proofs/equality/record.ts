import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SeenRequest } from "../../test/fakes/upstream-server.js";
import { bodyOf, Names } from "./normalize.js";
import { type ApiDocument, requestsFor, type Sent } from "./requests.js";
import { ADMIN_KEY, STOPPED_CLOCK, startWorld, type World } from "./world.js";

/** What one build answered, each part by a name that is the same in all builds. */
export interface Recording {
  readonly exchanges: Readonly<Record<string, unknown>>;
  readonly openapi: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Headers of replies that are not compared. */
const IGNORED = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding", "etag"]);
/** Headers of upstream calls that are. */
const SENT_UPSTREAM = /^(?:authorization|x-api-key|anthropic-|openai-|content-type|accept)/;

/** @param built a checkout with `dist` and `node_modules` */
export async function record(built: string, progress: (done: number) => void): Promise<Recording> {
  const world = await startWorld(built);
  try {
    const document = (await (await fetch(`${world.address}/openapi.json`)).json()) as ApiDocument;
    const sent = requestsFor(document);
    const recorder = new Recorder(world);
    for (const [at, request] of sent.entries()) {
      await recorder.send(request);
      progress(at + 1);
    }
    await recorder.addTraces();
    return {
      exchanges: recorder.exchanges,
      openapi: operationsOf(document),
      settings: await settingsOf(built),
    };
  } finally {
    await world.stop();
  }
}

interface Exchange {
  readonly reply: unknown;
  readonly upstream: readonly unknown[];
  trace?: unknown;
}

class Recorder {
  readonly exchanges: Record<string, Exchange> = {};
  /** Bodies as they came, for the requests that refer to them. */
  readonly #bodies = new Map<string, unknown>();
  readonly #byRequestId = new Map<string, { readonly name: string; readonly names: Names }>();

  /** Whether a request may have left a trace that is not written yet. */
  #unwritten = false;

  constructor(private readonly world: World) {}

  async send({ name, method, path, body, headers = {} }: Sent): Promise<void> {
    const reads = method === "GET" && (path.includes("/traces") || path === "/metrics");
    if (reads) await this.#tracesWritten();
    if (this.exchanges[name] !== undefined) throw new Error(`Two requests are called "${name}".`);
    const text =
      body === undefined ? undefined : this.#filled(typeof body === "string" ? body : JSON.stringify(body));
    if (method === "POST") this.#unwritten = true;
    const seen = this.world.upstreams.map(({ requests }) => requests.length);
    const all = { "x-api-key": ADMIN_KEY, "user-agent": "equality", ...headers };
    const given = Object.entries(all).filter(([, value]) => value !== "");
    const response = await fetch(`${this.world.address}${this.#filled(path)}`, {
      method,
      redirect: "manual",
      headers: [
        ...given.map(([header, value]): [string, string] => [header, this.#filled(value)]),
        ...(text === undefined ? [] : [["content-type", "application/json"] as [string, string]]),
      ],
      ...(text === undefined ? {} : { body: text }),
    });
    const reply = bodyOf(await textOf(response), response.headers.get("content-type") ?? "");
    this.#bodies.set(name, reply);
    const names = new Names();
    const upstream = this.world.upstreams.flatMap(({ requests }, at) =>
      requests.slice(seen[at]).filter(isOfRequest).map(upstreamCall),
    );
    const kept = [...response.headers].filter(([header]) => !IGNORED.has(header));
    this.exchanges[name] = names.replaced({
      ...{ reply: { status: response.status, headers: Object.fromEntries(kept), body: reply }, upstream },
    }) as Exchange;
    const id = response.headers.get("x-request-id");
    if (id !== null) this.#byRequestId.set(id, { name, names });
  }

  /** Adds to each exchange the trace that it left. */
  async addTraces(): Promise<void> {
    await this.#tracesWritten();
    const lines = await this.#asked("/admin/traces/export?format=jsonl");
    for (const line of lines.trim().split("\n")) {
      const trace = JSON.parse(line);
      const { name, names } = this.#byRequestId.get(trace.request_id) ?? { name: "", names: new Names() };
      const exchange = this.exchanges[name];
      if (exchange === undefined)
        throw new Error(`No reply had the request id ${trace.request_id} of a trace.`);
      exchange.trace = names.replaced(trace);
    }
  }

  /** Traces are written a moment after their replies: asked for until their number stays. */
  async #tracesWritten(): Promise<void> {
    if (!this.#unwritten) return;
    this.#unwritten = false;
    for (let same = 0, before = ""; same < 3; ) {
      const now = (await this.#asked("/metrics")).match(/^sextant_traces_total.*$/gm)?.join("\n") ?? "";
      same = now === before ? same + 1 : 0;
      before = now;
      await wait(150);
    }
  }

  async #asked(path: string): Promise<string> {
    const headers = { "x-api-key": ADMIN_KEY, ...STOPPED_CLOCK };
    return (await fetch(`${this.world.address}${path}`, { headers })).text();
  }

  #filled(text: string): string {
    return text.replaceAll(/\{\{([^:}]+(?:: [^:}]+)*): ([\w.]+)\}\}/g, (_, name: string, path: string) => {
      const value = path.split(".").reduce<unknown>(memberOf, this.#bodies.get(name));
      return typeof value === "string" ? value : "missing";
    });
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** The text until the end, or until the connection broke. */
async function textOf(response: Response): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response.body ?? []) parts.push(Buffer.from(part));
  } catch {
    parts.push(Buffer.from("\n\n<the connection broke>"));
  }
  return Buffer.concat(parts).toString();
}

/** Local providers are asked for their models from time to time. */
const isOfRequest = ({ method, path }: SeenRequest): boolean => method !== "GET" || !path.endsWith("/models");

const upstreamCall = ({ method, path, headers, body }: SeenRequest): object => ({
  ...{ method, path },
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => SENT_UPSTREAM.test(name))),
  body: bodyOf(body, "application/json"),
});

const operationsOf = (document: ApiDocument): Record<string, unknown> => {
  const { paths, ...rest } = document;
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => [`${verb.toUpperCase()} ${path}`, operation]),
  );
  return { ...Object.fromEntries(operations), "the rest": rest };
};

/** Rows of the generated page of settings: variable, key in the file, default and description. */
async function settingsOf(built: string): Promise<Record<string, unknown>> {
  const page = await readFile(join(built, "docs", "settings.md"), "utf8");
  const rows = [...page.matchAll(/^\| (`\w+`|–) \| (`\w+`|–) \| (.*?) \| (.*) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, variable, key, value, text]) => [
      key === "–" ? variable : key,
      { variable, default: value, text },
    ]),
  );
}
