import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Break = "before the question" | "after the answer";

/** Stands before a server and breaks the connection of an insert when it is told to. */
export class ClickHouseProxy {
  readonly #target: URL;
  readonly #server: Server;
  #next: Break | undefined;
  #always: { readonly status: number; readonly body: string } | undefined;
  /** Connections broken so far. */
  broken = 0;
  /** Inserts that reached the server. */
  inserts = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((question, answer) => void this.#handle(question, answer));
  }

  static async start(target: string): Promise<ClickHouseProxy> {
    const proxy = new ClickHouseProxy(new URL(target));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.#target.pathname}`;
  }

  breakNext(when: Break): void {
    this.#next = when;
  }

  answerAlways(status: number, body: string): void {
    this.#always = { status, body };
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #handle(question: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bytesOf(question);
    if (this.#always !== undefined) {
      answer.writeHead(this.#always.status).end(this.#always.body);
      return;
    }
    const isInsert = question.url?.includes("query=INSERT") === true;
    const breaks = isInsert ? this.#next : undefined;
    if (breaks !== undefined) {
      this.#next = undefined;
      this.broken += 1;
    }
    if (breaks === "before the question") return void question.socket.destroy();
    if (isInsert) this.inserts += 1;
    const { hostname, port } = this.#target;
    const forwarded = request({ hostname, port, path: question.url, method: "POST" }).end(body);
    const [reply] = (await once(forwarded, "response")) as [IncomingMessage];
    const text = await bytesOf(reply);
    if (breaks === "after the answer") return void question.socket.destroy();
    answer.writeHead(reply.statusCode ?? 500).end(text);
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
