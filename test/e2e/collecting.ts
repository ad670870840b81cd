/** `sextant profile collect` as it is installed, against a provider that keeps accounts. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT_ONLY, type Exchange, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { startCommand } from "./server-process.js";

export const MODELS = ["model-a", "model-b"];
/** Of an answer, at a dollar for a million tokens of prompt and ten for a million of answer. */
export const ANSWER_USD = (100 * 1 + 1000 * 10) / 1e6;

export interface ProviderManners {
  /** Whether the reply to a key is repeated, and billed once. */
  readonly honoursKeys: boolean;
}

/** A provider with two models that counts what it bills. */
export class BillingProvider {
  /** Bills by model and prompt. */
  readonly bills = new Map<string, number>();
  calls = 0;
  readonly #answered = new Set<string>();
  #onCall: () => void | Promise<void> = () => {};

  private constructor(
    readonly server: UpstreamServer,
    private readonly manners: ProviderManners,
  ) {
    server.answer((exchange) => this.#answer(exchange));
  }

  static async start(manners: ProviderManners): Promise<BillingProvider> {
    return new BillingProvider(await UpstreamServer.start(CHAT_ONLY), manners);
  }

  /** Calls the function when that many further calls have come. The last of them is answered when it has ended. */
  after(calls: number, then: () => void | Promise<void>): void {
    const last = this.calls + calls;
    this.#onCall = () => (this.calls === last ? then() : undefined);
  }

  get total(): number {
    return [...this.bills.values()].reduce((sum, bills) => sum + bills, 0);
  }

  /** How often the most billed question was billed. */
  get most(): number {
    return Math.max(0, ...this.bills.values());
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { body, headers } = exchange.request;
    this.calls += 1;
    const { model, messages } = JSON.parse(body);
    const key = headers["idempotency-key"] ?? "";
    const isRepeated = this.manners.honoursKeys && this.#answered.has(key);
    this.#answered.add(key);
    const question = `${model}: ${messages.at(-1).content}`;
    if (!isRepeated) this.bills.set(question, (this.bills.get(question) ?? 0) + 1);
    await this.#onCall();
    const sum = /(\d+) \+ (\d+)/.exec(messages.at(-1).content);
    const text = `The answer is ${Number(sum?.[1]) + Number(sum?.[2])}.`;
    const usage = { prompt_tokens: 100, completion_tokens: 1000, total_tokens: 1100 };
    const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
    await jsonReply({ id: "c", object: "chat.completion", created: 1, model, choices: [choice], usage })(
      exchange,
    );
  }
}

/** Writes the settings, and a table of sums as CSV. */
export function prepare(folder: string, { origin, prompts }: { origin: string; prompts: number }): void {
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 10 };
  const models = MODELS.map((id) => ({ id, price }));
  const provider = { id: "fake", type: "openai-compatible", base_url: `${origin}/v1`, models };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [provider] }));
  const rows = Array.from({ length: prompts }, (_, index) => `${index},"What is ${index} + 1?",${index + 1}`);
  writeFileSync(join(folder, "sums.csv"), ["number,question,sum", ...rows, ""].join("\n"));
}

/** Starts the command in a folder that `prepare` filled. */
export function startCollect(folder: string, argv: readonly string[] = []) {
  const usual = ["profile", "collect", "--prompts", "sums.csv", "--models", MODELS.join(","), "--out", "out"];
  const columns = ["--prompt-column", "question", "--reference-column", "sum", "--id-column", "number"];
  // Without profile sets, which it would load for the lengths of answers alone.
  const environment = { SEXTANT_PROFILES: join(folder, "none") };
  return startCommand([...usual, ...columns, "--grade", "number", ...argv], { cwd: folder, environment });
}

/** The lines of a file of the collection. */
export function linesOf(folder: string, name: string): readonly Record<string, unknown>[] {
  const text = readFileSync(join(folder, "out", name), "utf8");
  if (!text.endsWith("\n")) throw new Error(`${name} is not whole`);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

export const filesOf = (folder: string): readonly string[] => readdirSync(join(folder, "out")).sort();
