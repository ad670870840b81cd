import { Pool } from "undici";
import { makePrompt } from "../../bench/latency/prompts.js";

const CONNECTIONS = 256;
const PROMPTS = 512;
const WORDS = 45;
const ABORT_AFTER_MS = 100;

/** The caller left before the reply ended. */
const LEFT = 499;
/** A reply when every attempt failed. */
const FAILED = 502;

/** What is sent, how often of a hundred, and with which statuses it may end. */
const TRAFFIC = {
  decision: { share: 40, statuses: [200] },
  chat: { share: 24, statuses: [200, FAILED] },
  stream: { share: 16, statuses: [200, FAILED] },
  "stream left early": { share: 6, statuses: [200, LEFT, FAILED] },
  "chat with routing": { share: 6, statuses: [200, FAILED] },
  "refused request": { share: 4, statuses: [400] },
  "trace search": { share: 3, statuses: [200] },
  "key made and revoked": { share: 1, statuses: [200] },
} as const satisfies Readonly<Record<string, { share: number; statuses: readonly number[] }>>;
export type RequestKind = keyof typeof TRAFFIC;
export const KINDS = Object.keys(TRAFFIC) as RequestKind[];

export interface Outcome {
  readonly kind: RequestKind;
  /** Status of the reply; 0 for a connection that failed. */
  readonly status: number;
  /** Milliseconds to the end of the reply. */
  readonly ms: number;
}

/** Whether neither the traffic nor the faults of its upstream explain the status. */
export function isUnexpected({ kind, status }: Outcome): boolean {
  const statuses: readonly number[] = TRAFFIC[kind].statuses;
  return !statuses.includes(status);
}

export interface Traffic {
  /** Sends one request, of a kind drawn by its share. Never rejects. */
  send(): Promise<Outcome>;
  close(): Promise<void>;
}

interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object;
}

export interface TrafficOptions {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One that the upstream serves. */
  readonly model: string;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  /** What is sent; the mix of all when left out. */
  readonly only?: RequestKind | undefined;
}

/** A mix of what services, operators and careless clients send. */
export function openTraffic({ address, headers, model, random, only }: TrafficOptions): Traffic {
  const pool = new Pool(address, { connections: CONNECTIONS, pipelining: 1 });
  const prompts = Array.from({ length: PROMPTS }, (_, topic) => makePrompt(topic % 64, WORDS, random));
  const kinds = only === undefined ? KINDS : [only];
  const drawn = kinds.flatMap((kind) => Array.from({ length: TRAFFIC[kind].share }, () => kind));

  async function request({ method, path, body }: Call, signal?: AbortSignal) {
    const reply = await pool.request({
      ...{ method, path, signal: signal ?? null },
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.statusCode, text: await reply.body.text() };
  }

  const messages = () => [{ role: "user", content: prompts[Math.floor(random() * PROMPTS)] ?? "" }];
  const chat = (extra: object = {}): Call => ({
    method: "POST",
    path: "/v1/chat/completions",
    body: { model, messages: messages(), ...extra },
  });

  const send: Readonly<Record<RequestKind, () => Promise<number>>> = {
    decision: async () =>
      (
        await request({
          method: "POST",
          path: "/v1/router",
          body: { messages: messages(), cost_weight: 0.3 },
        })
      ).status,
    chat: async () => (await request(chat())).status,
    stream: async () => (await request(chat({ stream: true }))).status,
    "stream left early": async () => {
      try {
        return (await request(chat({ stream: true }), AbortSignal.timeout(ABORT_AFTER_MS))).status;
      } catch (error) {
        if (error instanceof DOMException && error.name === "TimeoutError") return LEFT;
        throw error;
      }
    },
    "chat with routing": async () => (await request(chat({ model: "auto" }))).status,
    "refused request": async () => (await request(chat({ temperature: "warm" }))).status,
    "trace search": async () =>
      (await request({ method: "GET", path: "/v1/traces?limit=20&status=error" })).status,
    "key made and revoked": async () => {
      const made = await request({
        method: "POST",
        path: "/admin/keys",
        body: { name: "soak", scopes: ["inference"] },
      });
      if (made.status !== 201) return made.status;
      const { id } = JSON.parse(made.text) as { id: string };
      return (await request({ method: "DELETE", path: `/admin/keys/${id}` })).status;
    },
  };

  return {
    async send() {
      const kind = drawn[Math.floor(random() * drawn.length)] ?? "decision";
      const started = performance.now();
      const status = await send[kind]().catch(() => 0);
      return { kind, status, ms: performance.now() - started };
    },
    close: () => pool.destroy(),
  };
}
