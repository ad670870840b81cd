import { type IncomingMessage, request } from "node:http";
import { KEY } from "../../server.js";

/** Posts to a server on loopback, on a connection of its own. @param paused reads nothing until `head` is resumed */
export function openStream(
  port: number,
  { path = "/v1/chat/completions", body, paused = false }: { path?: string; body: object; paused?: boolean },
) {
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
    /** Everything received so far. */
    text: () => text,
    /** Resolves when the text has been received. */
    received: (part: string) =>
      text.includes(part)
        ? Promise.resolve()
        : new Promise<void>((resolve) => wanted.push({ text: part, resolve })),
    /** Resolves with everything when the reply has ended, whole or not. */
    ended,
  };
}
