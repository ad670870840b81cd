import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { KEY } from "../server.js";

/** A client of one streamed reply over a real connection. */
export interface StreamClient {
  readonly request: ClientRequest;
  /** Resolves with the reply's head. */
  readonly head: Promise<IncomingMessage>;
  /** Everything received so far. */
  readonly text: () => string;
  /** Resolves when the text has been received. */
  readonly received: (text: string) => Promise<void>;
  /** Resolves with everything when the reply has ended, whole or not. */
  readonly ended: Promise<{ readonly text: string; readonly whole: boolean }>;
}

/** Posts to a server on loopback, on a connection of its own. @param paused reads nothing until `head` is resumed */
export function openStream(
  port: number,
  { path = "/v1/chat/completions", body, paused = false }: { path?: string; body: object; paused?: boolean },
): StreamClient {
  const payload = JSON.stringify(body);
  const headers = {
    "x-api-key": KEY,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
  };
  const sent = request({ host: "127.0.0.1", port, path, method: "POST", agent: false, headers });
  let text = "";
  let wanted: { readonly text: string; readonly resolve: () => void }[] = [];
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (response) => {
      response.setEncoding("utf8");
      if (paused) response.pause();
      resolve(response);
    });
  });
  const ended = head.then(
    (response) =>
      new Promise<{ text: string; whole: boolean }>((resolve) => {
        response.on("data", (piece: string) => {
          text += piece;
          for (const { text: part, resolve: tell } of wanted) if (text.includes(part)) tell();
          wanted = wanted.filter(({ text: part }) => !text.includes(part));
        });
        if (paused) response.pause();
        response.once("error", () => {});
        response.once("close", () => resolve({ text, whole: response.complete }));
      }),
  );
  ended.catch(() => {});
  sent.end(payload);
  return {
    request: sent,
    head,
    text: () => text,
    received: (part) =>
      text.includes(part)
        ? Promise.resolve()
        : new Promise((resolve) => wanted.push({ text: part, resolve })),
    ended,
  };
}
