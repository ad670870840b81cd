import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a client sends that a server may depend on: no version, no platform, no id. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface RecordedExchange {
  readonly request: SentRequest;
  readonly status: number;
  /** The whole body of the reply. */
  readonly reply: string;
}

const HEADERS = ["accept", "anthropic-version", "authorization", "content-type", "x-api-key"];

/** A server on loopback that passes JSON requests on to another and keeps them, with their replies. */
export class RecordingProxy {
  readonly #exchanges: RecordedExchange[] = [];
  readonly #server: Server;

  private constructor(readonly target: string) {
    this.#server = createServer((request, response) => void this.#forward(request, response));
  }

  /** @param target origin of the server behind it */
  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What passed since it was last asked. */
  take(): RecordedExchange[] {
    return this.#exchanges.splice(0);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const sent: SentRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: Object.fromEntries(
        HEADERS.flatMap((name) => {
          const value = request.headers[name];
          return typeof value === "string" ? [[name, value]] : [];
        }),
      ),
      body: JSON.parse(Buffer.concat(pieces).toString()),
    };
    const upstream = await send(sent, this.target);
    const reply = await upstream.text();
    this.#exchanges.push({ request: sent, status: upstream.status, reply });
    response.writeHead(upstream.status, { "content-type": upstream.headers.get("content-type") ?? "" });
    response.end(reply);
  }
}

/** Sends a request to the server at this origin. */
export const send = ({ method, path, headers, body }: SentRequest, origin: string): Promise<Response> =>
  fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) });
