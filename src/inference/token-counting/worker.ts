/** The worker thread that counts tokens, yielding to other counts after every piece of a long text. */
import { parentPort } from "node:worker_threads";
import { countTokens } from "./count-tokens.js";
import type { CountAnswer, CountRequest } from "./token-counting-api.js";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");
const answer = (message: CountAnswer): void => port.postMessage(message);

port.on("message", ({ request, texts, options }: CountRequest) => {
  countTokens(texts, options).then(
    (tokens) => answer({ request, tokens }),
    () => answer({ request, tokens: null }),
  );
});
