/** An upstream that fails on purpose and keeps books of what it bills and what it reported to its caller. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestNumber } from "./balance.js";
import { type BilledCall, FAULTS, type Fault, nanoUsdFor, UNBILLED_FAULTS } from "./faults.js";

interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string }[];
}

/** Words of an answer: one token each. */
const WORD = " word";
const RATE_LIMITED = 429;
const FAILED = 500;

/** Faults of one form of reply stand for another one where the form is the other. */
const FOR_WHOLE: ReadonlyMap<Fault, Fault> = new Map([
  ["stream cut off before content", "reply cut off"],
  ["stream cut off after content", "reply cut off"],
  ["stream cut off after its usage", "error with usage"],
]);
const FOR_STREAM: ReadonlyMap<Fault, Fault> = new Map([
  ["reply cut off", "stream cut off after content"],
  ["reply without choices, with usage", "stream cut off after its usage"],
]);

export interface LedgerUpstream {
  readonly url: string;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  readonly faultShare: number;
  /** At least 0, below 1: seeded, so that a run can be repeated. */
  readonly random: () => number;
  /** Called for each call, with what it is billed. */
  readonly bill: (call: BilledCall) => void;
  /** Bounds of the tokens of a call. */
  readonly tokens?: {
    readonly leastPrompt: number;
    readonly mostPrompt: number;
    readonly mostCompletion: number;
  };
  /** Faults that calls of a request may have; default all. */
  readonly faultsOf?: (request: number) => readonly Fault[];
}

const DEFAULT_TOKENS = { leastPrompt: 10, mostPrompt: 209, mostCompletion: 100 };

export async function startUpstream(options: UpstreamOptions): Promise<LedgerUpstream> {
  const { random, bill, tokens = DEFAULT_TOKENS, faultsOf = () => FAULTS } = options;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => answer(JSON.parse(Buffer.concat(parts).toString()), response));
  });

  function answer({ stream = false, messages }: Asked, response: ServerResponse): void {
    const request = requestNumber(messages.at(-1)?.content ?? "");
    const fault = drawnFault(request, stream);
    const { leastPrompt, mostPrompt, mostCompletion } = tokens;
    const promptTokens = leastPrompt + Math.floor(random() * (mostPrompt - leastPrompt + 1));
    const completionTokens = 1 + Math.floor(random() * mostCompletion);
    const billed =
      fault !== "none" && UNBILLED_FAULTS.has(fault) ? 0 : nanoUsdFor(promptTokens, completionTokens);
    const call = new Call(response, { promptTokens, completionTokens });
    const reported = stream ? call.sendStream(fault) : call.sendWhole(fault);
    bill({ request, fault, billed, reported: reported ? billed : 0 });
  }

  function drawnFault(request: number, stream: boolean): BilledCall["fault"] {
    if (random() >= options.faultShare) return "none";
    const faults = faultsOf(request);
    const fault = faults[Math.floor(random() * faults.length)] ?? "rate limited";
    return (stream ? FOR_STREAM : FOR_WHOLE).get(fault) ?? fault;
  }

  const url = await listening(server);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Sends one reply. Each method returns whether the usage was reported. */
class Call {
  readonly #usage: object;

  constructor(
    private readonly response: ServerResponse,
    private readonly tokens: Tokens,
  ) {
    const { promptTokens, completionTokens } = tokens;
    this.#usage = {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
  }

  sendWhole(fault: BilledCall["fault"]): boolean {
    const message = { role: "assistant", content: WORD.repeat(this.tokens.completionTokens) };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    switch (fault) {
      case "none":
        return this.#json(200, { object: "chat.completion", choices, usage: this.#usage });
      case "reply without choices, with usage":
        return this.#json(200, { object: "chat.completion", choices: [], usage: this.#usage });
      case "reply cut off": {
        const text = JSON.stringify({ object: "chat.completion", choices, usage: this.#usage });
        this.response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
        this.response.write(text.slice(0, text.indexOf(`"}`)), () => this.response.destroy());
        return false;
      }
      default:
        return this.#refuse(fault);
    }
  }

  sendStream(fault: BilledCall["fault"]): boolean {
    const start = event({
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
    });
    const words = event({ choices: [{ index: 0, delta: { content: WORD }, finish_reason: null }] }).repeat(
      this.tokens.completionTokens,
    );
    const last = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    const usage = event({ choices: [], usage: this.#usage });
    switch (fault) {
      case "none":
        return this.#events([start, words, last, usage, "data: [DONE]\n\n"], "end", true);
      case "stream cut off before content":
        return this.#events([start], "cut", false);
      case "stream cut off after content":
        return this.#events([start, words], "cut", false);
      case "stream cut off after its usage":
        return this.#events([start, usage], "cut", true);
      default:
        return this.#refuse(fault);
    }
  }

  #refuse(fault: BilledCall["fault"]): boolean {
    if (fault === "connection closed before the reply") {
      this.response.destroy();
      return false;
    }
    const error = { message: fault, type: "server_error" };
    if (fault === "rate limited") this.response.setHeader("retry-after-ms", "1");
    const tells = fault === "error with usage";
    this.#json(fault === "rate limited" ? RATE_LIMITED : FAILED, {
      error,
      ...(tells ? { usage: this.#usage } : {}),
    });
    return tells;
  }

  #json(status: number, body: object): boolean {
    this.response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  }

  #events(parts: readonly string[], ending: "end" | "cut", reported: boolean): boolean {
    this.response.writeHead(200, { "content-type": "text/event-stream" });
    const text = parts.join("");
    if (ending === "end") this.response.end(text);
    else this.response.write(text, () => setTimeout(() => this.response.destroy(), 1));
    return reported;
  }
}

const event = (chunk: object): string =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", ...chunk })}\n\n`;
