import { MODEL } from "./gateway-process.js";
import type { Gateways } from "./gateways.js";
import { type Connection, HttpClient, NoReply, type Received, type Sent } from "./http-client.js";
import { type KeyName, keyOf } from "./keys.js";
import { durationMs, MINUTE_MS, type Minute, Minutes } from "./minutes.js";
import { type Outcomes, outcomeOf } from "./outcomes.js";

/** More tokens than the upstream bills for a prompt: what is reserved for a call is never less than it uses. */
const FILLER = "the quick brown fox jumps over the lazy dog ".repeat(6);
export const UPSTREAM_TOKENS = { leastPrompt: 10, mostPrompt: 50, mostCompletion: 20 } as const;
/** One of so many requests comes on a connection of its own. */
const FRESH_EVERY = 4;
const SURPRISES = 10;

/** A kill, and the requests that it cut off. */
export interface Kill {
  /** Milliseconds since the start of the traffic. */
  readonly atMs: number;
  /** Requests on connections of the killed process. */
  readonly inFlight: number;
  cutOff: number;
}

/** Sends all requests, each client one after the other, and notes how each ends. */
export class Traffic {
  readonly kills: Kill[] = [];
  /** Of the keys with limits by the minute. */
  readonly minutes: Readonly<Record<"requests" | "tokens", Minutes>> = {
    requests: new Minutes(),
    tokens: new Minutes(),
  };
  /** The first unexpected replies and failures. */
  readonly surprises: string[] = [];
  readonly #client = new HttpClient();
  readonly #killed = new WeakMap<Connection, Kill>();
  readonly #startedMs = performance.now();
  #next = 0;

  constructor(
    private readonly target: Gateways,
    private readonly outcomes: Outcomes,
    private readonly clients: number,
  ) {}

  /** Requests that were started. */
  get started(): number {
    return this.#next;
  }

  /** Milliseconds since the start of the traffic. */
  nowMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** Whether all requests were started. */
  get isOver(): boolean {
    return this.#next >= this.outcomes.most;
  }

  /** Resolves when every request has ended. */
  async run(): Promise<void> {
    const client = async () => {
      while (!this.isOver) await this.#run(this.#next++);
    };
    await Promise.all(Array.from({ length: this.clients }, client));
    this.#client.close();
  }

  /** Kills one of the target's processes. */
  async kill(): Promise<void> {
    const atMs = this.nowMs();
    await this.target.kill(this.#client.connections(), (served) => {
      const inFlight = served.filter(({ isBusy }) => isBusy).length;
      const kill = { atMs, inFlight, cutOff: 0 };
      this.kills.push(kill);
      for (const connection of served) this.#killed.set(connection, kill);
    });
  }

  async #run(request: number): Promise<void> {
    const key = keyOf(request);
    try {
      this.#replied(request, key, await this.#send(request, key));
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      this.#failed(request, key, error);
    }
  }

  /** Tries another gateway where one cannot be connected to, as a load balancer does. */
  async #send(request: number, key: KeyName): Promise<Received> {
    const sent = this.#requestOf(request, key);
    for (let turn = 0; ; turn++) {
      const addresses = this.target.addresses();
      const address = addresses[(request + turn) % addresses.length] ?? "";
      try {
        return await this.#client.post(`${address}/v1/chat/completions`, sent);
      } catch (error) {
        if (!(error instanceof NoReply && error.wasRefused && turn < addresses.length)) throw error;
      }
    }
  }

  #requestOf(request: number, key: KeyName): Sent {
    const messages = [{ role: "user", content: `request ${request} ${FILLER}` }];
    return {
      headers: { "x-api-key": this.target.keys[key].key, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ model: MODEL, messages, max_tokens: UPSTREAM_TOKENS.mostCompletion, stream: request % 4 > 1 },
      }),
      connection: request % FRESH_EVERY === 0 ? "fresh" : "kept",
    };
  }

  #replied(request: number, key: KeyName, reply: Received): void {
    const outcome = outcomeOf(reply);
    this.outcomes.record(request, outcome, this.nowMs());
    if (outcome === "answered with something else") this.#surprised(`${reply.status} ${reply.text}`);
    if (key !== "requests" && key !== "tokens") return;
    const minute = this.#minuteOf(key, reply);
    if (outcome === "refused by a limit") minute.refused += 1;
    else {
      minute.requests += 1;
      minute.tokens += tokensOf(reply.text);
    }
  }

  /** Errors of a gateway that is stopping come without the headers of limits. */
  #minuteOf(key: "requests" | "tokens", { headers, headersAtMs }: Received): Minute {
    const atMs = headersAtMs - this.#startedMs;
    const reset = headers[`x-ratelimit-reset-${key}`];
    const minutes = this.minutes[key];
    if (typeof reset === "string") return minutes.at(atMs + durationMs(reset));
    return minutes.running(atMs) ?? minutes.at(atMs + MINUTE_MS);
  }

  #failed(request: number, key: KeyName, { connection, message }: NoReply): void {
    const kill = connection === undefined ? undefined : this.#killed.get(connection);
    this.outcomes.record(
      request,
      kill === undefined ? "failed without a kill" : "cut off by a kill",
      this.nowMs(),
    );
    if (kill === undefined) {
      this.#surprised(message);
      return;
    }
    kill.cutOff += 1;
    if (key !== "requests" && key !== "tokens") return;
    const minute = this.minutes[key].running(kill.atMs);
    if (minute !== undefined) minute.cutOff += 1;
  }

  #surprised(what: string): void {
    if (this.surprises.length < SURPRISES)
      this.surprises.push(`${(this.nowMs() / 1000).toFixed(1)} s: ${what}`);
  }
}

/** Of the usage that a reply reports; 0 when it reports none. */
function tokensOf(text: string): number {
  const at = text.lastIndexOf('"total_tokens":');
  return at < 0 ? 0 : Number.parseInt(text.slice(at + '"total_tokens":'.length), 10);
}
