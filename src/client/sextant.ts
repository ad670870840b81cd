import OpenAI, { type APIError, OpenAIError } from "openai";
import { Chat, Embeddings, TextCompletions } from "./completions.js";
import { errorOfReply } from "./errors.js";
import { Pauses } from "./pauses.js";
import { Feedbacks, Providers, Router } from "./router.js";
import { Traces } from "./traces.js";

type OpenAIOptions = ConstructorParameters<typeof OpenAI>[0];

/** Options of OpenAI's client, and ours. */
export type SextantOptions = Omit<NonNullable<OpenAIOptions>, "provider" | "workloadIdentity"> & {
  /** Models to try in order when one fails, for every call that names none of its own. */
  fallbacks?: readonly string[] | undefined;
};

/**
 * The client of a Sextant gateway: all of OpenAI's client, with `router`, `providers`, `traces`, `feedback`, `pauses`,
 * fallbacks, costs and the gateway's errors.
 *
 * The key is `SEXTANT_API_KEY`, the address `SEXTANT_BASE_URL` (`http://127.0.0.1:8080/v1`), unless given. Nothing of what
 * OpenAI's client reads from the environment is sent: no key, organisation or project of OpenAI's leaves for another host.
 */
export class Sextant extends OpenAI {
  declare chat: Chat;
  declare completions: TextCompletions;
  declare embeddings: Embeddings;
  readonly router: Router;
  readonly providers: Providers;
  readonly traces: Traces;
  readonly feedback: Feedbacks;
  readonly pauses: Pauses;

  /** @throws OpenAIError without a key */
  constructor(options: SextantOptions = {}) {
    const environment = clientEnvironment();
    const { apiKey = environment.apiKey, baseURL = environment.baseURL, fallbacks = [], ...rest } = options;
    if (apiKey === undefined) {
      throw new OpenAIError(
        "No API key: set SEXTANT_API_KEY or pass `apiKey`; a gateway with authentication switched off takes any.",
      );
    }
    const none = { organization: null, project: null, adminAPIKey: null, webhookSecret: null };
    // Kept among the options, so that `withOptions` hands them on.
    const kept: SextantOptions = { ...none, ...rest, apiKey, baseURL, fallbacks };
    super(kept);
    this.chat = new Chat(this, fallbacks);
    this.completions = new TextCompletions(this, fallbacks);
    this.embeddings = new Embeddings(this);
    this.router = new Router(this);
    this.providers = new Providers(this);
    this.traces = new Traces(this);
    this.feedback = new Feedbacks(this);
    this.pauses = new Pauses(this);
  }

  /** A client that differs from this one in the given options. */
  override withOptions(options: Partial<SextantOptions>): this {
    return super.withOptions(options as OpenAIOptions & object);
  }

  /** Repeats the name of a parameter that has several values, as the gateway reads them. */
  protected override stringifyQuery(query: object): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const pairs = given.flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)]));
    return new URLSearchParams(pairs as [string, string][]).toString();
  }

  protected override makeStatusError(
    status: number,
    body: object,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    return errorOfReply(status, body ?? {}, { message, headers });
  }
}

/** What the client takes from the environment; a browser has none. */
function clientEnvironment() {
  const variables = globalThis.process?.env ?? {};
  const read = (name: string) => variables[name]?.trim() || undefined;
  return {
    apiKey: read("SEXTANT_API_KEY"),
    baseURL: read("SEXTANT_BASE_URL") ?? "http://127.0.0.1:8080/v1", // Where `npm start` serves.
  };
}
