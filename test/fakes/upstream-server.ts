import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

/** A request as it came over the wire. */
export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of the connection it came on, from 0. */
  readonly connection: number;
}

/** One request and the raw connection to answer it on, byte by byte. */
export interface Exchange {
  readonly request: SeenRequest;
  /** Resolves once the client closed the connection, or broke it. */
  readonly closed: Promise<void>;
  /** Resolves when the bytes have left; they are not held back to travel with later ones. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Closes the connection in order. */
  end(): void;
  /** Breaks the connection: the client sees a reset. */
  reset(): void;
}

export type Script = (exchange: Exchange) => void | Promise<void>;

export interface UpstreamServerOptions {
  /** End of paths that it does not have: they are answered with a 404, and not counted as requests. */
  readonly lacks?: string;
  /** Comes before the script: what answers a request in its place; null for those that the script answers. */
  readonly refuses?: (request: SeenRequest) => Script | null;
}

/** A server of OpenAI's kind without OpenAI's newer API, as most are that pose as OpenAI. */
export const CHAT_ONLY: UpstreamServerOptions = { lacks: "/responses" };

/** An upstream on a real socket that answers exactly as told. */
export class UpstreamServer {
  readonly requests: SeenRequest[] = [];
  /** Connections accepted so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #options: UpstreamServerOptions;
  #script: Script = reply({ status: 500, body: "no script" });

  private constructor(server: Server, options: UpstreamServerOptions) {
    this.#server = server;
    this.#options = options;
    server.on("connection", (socket: Socket) => this.#accept(socket));
  }

  static async start(options: UpstreamServerOptions = {}): Promise<UpstreamServer> {
    const server = createServer({ noDelay: true });
    const upstream = new UpstreamServer(server, options);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get lastRequest(): SeenRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("no request came");
    return last;
  }

  /** How requests are answered from now on. */
  answer(script: Script): void {
    this.#script = script;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(socket: Socket): void {
    const connection = this.connections++;
    this.#sockets.add(socket);
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    void closed.then(() => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let received: Buffer[] = [];
    let length = 0;
    let needed = 0;
    socket.on("data", (bytes) => {
      received.push(bytes);
      length += bytes.length;
      if (length < needed) return;
      const whole = Buffer.concat(received);
      const message = readRequest(whole);
      if ("needed" in message) {
        needed = message.needed;
        received = [whole];
        return;
      }
      const rest = whole.subarray(message.length);
      received = [rest];
      length = rest.length;
      needed = 0;
      const request = { ...message.request, connection };
      const { lacks, refuses } = this.#options;
      if (lacks !== undefined && request.path.endsWith(lacks)) {
        void reply({ status: 404, body: "not found" })(exchange(socket, request, closed));
        return;
      }
      this.requests.push(request);
      const script = refuses?.(request) ?? this.#script;
      void script(exchange(socket, request, closed));
    });
  }
}

function exchange(socket: Socket, request: SeenRequest, closed: Promise<void>): Exchange {
  return {
    request,
    closed,
    write: async (bytes) => {
      if (socket.writable) await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      await turn();
    },
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
  };
}

/** The first whole request in `bytes` and its length; while it is not whole the bytes that it needs, as far as is known. */
function readRequest(
  bytes: Buffer,
): { request: Omit<SeenRequest, "connection">; length: number } | { needed: number } {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return { needed: 0 };
  const [requestLine = "", ...fields] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const [method = "", path = ""] = requestLine.split(" ");
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
  const length = headEnd + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return { needed: length };
  return { request: { method, path, headers, body: bytes.toString("utf8", headEnd + 4, length) }, length };
}

export interface ReplyParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** How the body's end is known: by a length, by chunks (one for each piece of the body), or by the connection's end. */
  readonly framing?: "length" | "chunked" | "close";
  /** What happens after the last piece: `stall` leaves the reply open, `cut` closes and `reset` breaks the connection. */
  readonly ending?: "finish" | "stall" | "cut" | "reset";
}

/** A script that sends one reply. Pieces of the body are written one by one. */
export function reply(parts: ReplyParts): Script {
  const { status = 200, headers = {}, body = [], framing = "length", ending = "finish" } = parts;
  const pieces = (Array.isArray(body) ? body : [body]).map((piece) => Buffer.from(piece));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const frame = {
    length: `content-length: ${ending === "finish" ? length : length + 1}`,
    chunked: "transfer-encoding: chunked",
    close: "connection: close",
  }[framing];
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} Status`, ...fields, frame, "", ""].join("\r\n");
  return async (exchange) => {
    await exchange.write(head);
    // An empty chunk would be the last one.
    for (const piece of pieces.filter(({ length }) => length > 0))
      await exchange.write(framing === "chunked" ? chunk(piece) : piece);
    if (ending === "reset") exchange.reset();
    else if (ending === "cut" || (ending === "finish" && framing === "close")) exchange.end();
    else if (ending === "finish" && framing === "chunked") await exchange.write("0\r\n\r\n");
  };
}

/** A script that sends JSON. */
export function jsonReply(value: unknown, parts: ReplyParts = {}): Script {
  const headers = { "content-type": "application/json", ...parts.headers };
  return reply({ ...parts, headers, body: JSON.stringify(value) });
}

/** A script that sends a stream of events, in chunks unless told otherwise. */
export function eventReply(body: ReplyParts["body"] & {}, parts: ReplyParts = {}): Script {
  const headers = { "content-type": "text/event-stream; charset=utf-8", ...parts.headers };
  return reply({ framing: "chunked", ...parts, headers, body });
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
}
