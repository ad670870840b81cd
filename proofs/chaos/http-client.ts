import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";

/** A connection to a server, open or being opened. */
export interface Connection {
  readonly socket: Socket;
  readonly serverPort: number;
  /** Whether a request on it waits for its reply. */
  isBusy: boolean;
}

export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `fresh`: a connection for this request alone, so that connections are made all the time. */
  readonly connection: "kept" | "fresh";
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `performance.now()` when the headers came. */
  readonly headersAtMs: number;
  readonly text: string;
}

/** A request without a whole reply. */
export class NoReply extends Error {
  override readonly name = "NoReply";

  constructor(
    cause: Error,
    readonly connection: Connection | undefined,
  ) {
    super(cause.message, { cause });
  }

  /** Whether nothing listened, so that the request was not sent. */
  get wasRefused(): boolean {
    return (this.cause as NodeJS.ErrnoException).code === "ECONNREFUSED";
  }
}

/** Silence after which a request is given up. */
const SILENCE_MS = 60_000;

/** Sends requests and knows the connections that they are on. */
export class HttpClient {
  readonly #connections = new Map<Socket, Connection>();
  readonly #kept = new Agent({ keepAlive: true });
  readonly #fresh = new Agent({ keepAlive: false });

  connections(): Iterable<Connection> {
    return this.#connections.values();
  }

  /** @throws NoReply */
  post(url: string, { headers, body, connection: kind }: Sent): Promise<Received> {
    return new Promise((resolve, reject) => {
      let connection: Connection | undefined;
      const fail = (cause: Error) => reject(new NoReply(cause, connection));
      const sent = request(url, {
        agent: kind === "kept" ? this.#kept : this.#fresh,
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
      });
      sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error(`no reply in ${SILENCE_MS} ms`)));
      sent.on("socket", (socket) => {
        connection = this.#connectionOf(socket, Number(new URL(url).port));
        connection.isBusy = true;
      });
      sent.on("error", fail);
      sent.on("response", (reply) => {
        const headersAtMs = performance.now();
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (piece: string) => {
          text += piece;
        });
        reply.on("error", fail);
        reply.on("end", () => {
          if (connection !== undefined) connection.isBusy = false;
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, headersAtMs, text });
        });
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#kept.destroy();
    this.#fresh.destroy();
  }

  #connectionOf(socket: Socket, serverPort: number): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = { socket, serverPort, isBusy: false };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }
}
