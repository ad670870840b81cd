import { encodeTime } from "ulid";
import { seededRandom } from "../../src/foundation/random.js";
import type { Trace, TraceKind, TraceStatus, Usage } from "../../src/gateway/traces/trace.js";
import { type Draw, logNormal, weighted, zipf } from "./draw.js";
import { makeRouting } from "./made-up-routing.js";
import { makeTexts } from "./texts.js";

export const DAY_MS = 86_400_000;
/** The traces end here, always: the same seed makes the same traces on any day. */
export const END_MS = Date.UTC(2026, 0, 1);
export const DAYS = 90;

export const names = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, "0")}`);

/** The commonest first. */
export const MODELS = names("model", 40);
export const PROVIDERS = names("provider", 12);
export const SOURCES = names("source", 20);
export const TENANTS = names("tenant", 500);
export const KINDS: readonly TraceKind[] = ["chat", "router", "completion"];
const STATUSES: readonly TraceStatus[] = ["success", "error", "timeout"];
const ERRORS: Readonly<Record<TraceStatus, string>> = {
  success: "",
  error: "upstream_error",
  timeout: "upstream_timeout",
};
const FEATURES = names("feature", 30);
const ENVIRONMENTS = ["production", "staging", "development"];
const USERS = 100_000;

/** In prompts of one row in so many, and nowhere else: what a search for a rare text finds. */
export const RARE_TEXT = "Zyzzogeton quux";
export const RARE_EVERY = 9973;

/** Texts that rows share, each after tens of thousands of others: further apart than compression looks. */
const PROMPTS = { count: 65_536, median: 400, spread: 0.8, seed: 11 };
const ANSWERS = { count: 65_521, median: 600, spread: 0.8, seed: 12 };

const ID_CHARACTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface TraceOptions {
  readonly seed: number;
  /** Over which the 90 days are spread; further ones can be had, they are of later days. */
  readonly rows: number;
  /** Texts shared by the rows; `shareTexts()` when left out. */
  readonly texts?: SharedTexts;
}

export interface SharedTexts {
  readonly prompts: readonly string[];
  readonly answers: readonly string[];
}

/** A second or two, and some 90 MB. */
export const shareTexts = (): SharedTexts => ({ prompts: makeTexts(PROMPTS), answers: makeTexts(ANSWERS) });

interface Draws {
  readonly model: Draw;
  readonly source: Draw;
  readonly kind: Draw;
  readonly status: Draw;
  readonly provider: Draw;
  readonly tenant: Draw;
  readonly feature: Draw;
  readonly environment: Draw;
}

/** Finished requests as a busy gateway would have recorded them, in the order in which they ended. */
export class MadeUpTraces {
  readonly #random: () => number;
  readonly #texts: SharedTexts;
  readonly #rows: number;
  readonly #draws: Draws = {
    model: zipf(MODELS.length, 1.1),
    source: zipf(SOURCES.length, 1),
    kind: weighted([70, 20, 10]),
    status: weighted([95, 3, 2]),
    // A model is had from three providers, mostly from the first.
    provider: weighted([80, 15, 5]),
    tenant: zipf(TENANTS.length, 1),
    feature: zipf(FEATURES.length, 0.8),
    environment: weighted([85, 10, 5]),
  };
  #made = 0;

  constructor({ seed, rows, texts }: TraceOptions) {
    this.#random = seededRandom(seed);
    this.#rows = rows;
    this.#texts = texts ?? shareTexts();
  }

  take(count: number): Trace[] {
    return Array.from({ length: count }, () => this.next());
  }

  next(): Trace {
    const random = this.#random;
    const number = this.#made++;
    const kind = KINDS[this.#draws.kind(random)] ?? "chat";
    const status = kind === "router" ? "success" : (STATUSES[this.#draws.status(random)] ?? "success");
    const isRouter = kind === "router";
    const latencyMs = latencyOf(random, { kind, status });
    const createdAtMs = Math.floor(endOf(number, this.#rows) - latencyMs);
    const modelAt = this.#draws.model(random);
    const model = MODELS[modelAt] ?? "";
    const provider = PROVIDERS[(modelAt * 5 + this.#draws.provider(random)) % PROVIDERS.length] ?? "";
    const succeeded = status === "success";
    const streamed = !isRouter && random() < 0.6;
    const ttftMs = isRouter || !succeeded ? null : streamed ? latencyMs * (0.1 + 0.3 * random()) : latencyMs;
    const input = this.#prompt(number);
    const output = isRouter || !succeeded ? "" : this.#answer(number);
    return {
      requestId: `req_${encodeTime(createdAtMs, 10)}${sixteenOf(random)}`,
      kind,
      model,
      provider,
      source: SOURCES[this.#draws.source(random)] ?? "",
      principal: `key_${1 + Math.floor(random() * 60)}`,
      status,
      createdAtMs,
      latencyMs,
      ttftMs,
      streamed,
      finishReason: isRouter || !succeeded ? null : random() < 0.93 ? "stop" : "length",
      usage:
        isRouter || !succeeded ? null : usageOf(random, { input, output, latencyMs, ttftMs: ttftMs ?? 0 }),
      attempts: isRouter ? [] : attemptsOf(random, { model, provider, status, latencyMs }),
      routing: isRouter || random() < 0.15 ? makeRouting(random, { model, provider, models: MODELS }) : null,
      error: succeeded ? null : { code: ERRORS[status], message: `${provider} did not answer as it should` },
      metadata: this.#metadata(),
      content: { input: [{ role: "user", content: input }], output },
    };
  }

  #prompt(number: number): string {
    const { prompts } = this.#texts;
    const text = prompts[number % prompts.length] ?? "";
    return number % RARE_EVERY === 0 ? `${text} ${RARE_TEXT}` : text;
  }

  /** Another pair with each lap, because the counts have no common divisor. */
  #answer(number: number): string {
    const { answers } = this.#texts;
    return answers[number % answers.length] ?? "";
  }

  /** Nothing for a fifth of the requests, up to four keys for others; a few tenants make most of the traffic. */
  #metadata(): Record<string, string | number | boolean> {
    const random = this.#random;
    const metadata: Record<string, string | number | boolean> = {};
    if (random() < 0.2) return metadata;
    metadata.tenant = TENANTS[this.#draws.tenant(random)] ?? "";
    if (random() < 0.6) metadata.environment = ENVIRONMENTS[this.#draws.environment(random)] ?? "";
    if (random() < 0.4) metadata.feature = FEATURES[this.#draws.feature(random)] ?? "";
    if (random() < 0.3) metadata.user = Math.floor(USERS * random() ** 3);
    return metadata;
  }
}

/** When that request ended: in order, over all days, four times as many around noon as at midnight (UTC). */
function endOf(number: number, rows: number): number {
  const even = END_MS - DAYS * DAY_MS + ((number + 1) / rows) * DAYS * DAY_MS;
  const day = (2 * Math.PI * (even - END_MS)) / DAY_MS;
  return even + ((0.6 * DAY_MS) / (2 * Math.PI)) * Math.sin(day);
}

/** Milliseconds to the microsecond, as the gateway notes them. */
const micro = (ms: number): number => Math.round(ms * 1000) / 1000;

function latencyOf(random: () => number, { kind, status }: Pick<Trace, "kind" | "status">): number {
  if (status === "timeout") return micro(60_000 + 50 * random());
  return micro(
    logNormal(random, kind === "router" ? { median: 0.4, spread: 0.4 } : { median: 1800, spread: 0.9 }),
  );
}

function sixteenOf(random: () => number): string {
  let text = "";
  for (let part = 0; part < 4; part++) {
    const bits = Math.floor(random() * 2 ** 20);
    for (let shift = 0; shift < 20; shift += 5) text += ID_CHARACTERS[(bits >> shift) & 31];
  }
  return text;
}

interface Answered {
  readonly input: string;
  readonly output: string;
  readonly latencyMs: number;
  readonly ttftMs: number;
}

function usageOf(random: () => number, { input, output, latencyMs, ttftMs }: Answered): Usage {
  const [prompt, completion] = [Math.ceil(input.length / 4), Math.ceil(output.length / 4)];
  const cached = random() < 0.3 ? Math.floor(prompt * random()) : 0;
  const [inputUsd, cacheUsd, outputUsd] = [(prompt - cached) * 1.5e-7, cached * 7.5e-8, completion * 6e-7];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    input_cost_usd: inputUsd,
    output_cost_usd: outputUsd,
    cache_input_cost_usd: cacheUsd,
    total_cost_usd: inputUsd + cacheUsd + outputUsd,
    latency_ms: latencyMs,
    ttft_ms: ttftMs,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

type Outcome = Pick<Trace, "status" | "latencyMs"> & { readonly model: string; readonly provider: string };

function attemptsOf(
  random: () => number,
  { model, provider, status, latencyMs }: Outcome,
): Trace["attempts"] {
  const last = { provider, model, message: null, latency_ms: micro(latencyMs * 0.98) };
  if (status === "timeout") return [{ ...last, status: null, code: "upstream_timeout" }];
  if (status === "error") return [{ ...last, status: 500, code: "upstream_error" }];
  const answered = { ...last, status: 200, code: "ok" };
  if (random() < 0.95) return [answered];
  const refused = {
    provider,
    model,
    status: 429,
    code: "upstream_rate_limited",
    message: "Rate limit reached for requests",
    latency_ms: micro(90 * random()),
  };
  return [refused, answered];
}
