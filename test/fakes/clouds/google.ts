/**
 * Google's token endpoints and Vertex AI as far as they authenticate. Each rule names what its words are from, as of
 * 2026-11-27.
 */
import { decodeJwt, type JWTPayload } from "jose";
import { jsonReply, type Script, type SeenRequest } from "../upstream-server.js";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const LIFE_S = 3600;

interface GoogleOptions {
  /** Addresses of service accounts. */
  readonly accounts: readonly string[];
  /** By the name of a pool's provider, the one token of it that counts. */
  readonly federations: ReadonlyMap<string, string>;
  /** Milliseconds since the epoch, by Google's clock. */
  readonly now: () => number;
}

const answer = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const refused = (description: string): Response =>
  answer(400, { error: "invalid_grant", error_description: description });

/** Issues tokens to those who prove who they are, and accepts those tokens at Vertex AI until they end. */
export class GoogleFake {
  /** Token → when it ends. */
  readonly #tokens = new Map<string, number>();
  readonly #options: GoogleOptions;

  constructor(options: GoogleOptions) {
    this.#options = options;
  }

  get issued(): number {
    return this.#tokens.size;
  }

  /** In the place of the network. */
  readonly fetch = async (url: string | URL, { body }: { readonly body?: unknown }): Promise<Response> => {
    const form = new URLSearchParams(String(body));
    return String(url) === TOKEN_URL ? this.#byAssertion(form) : answer(404, {});
  };

  /** `https://sts.googleapis.com/v1/token`, which files of credentials name. */
  readonly exchange: Script = async (exchange) => {
    const reply = this.#byExchange(new URLSearchParams(exchange.request.body));
    await jsonReply(await reply.json(), { status: reply.status })(exchange);
  };

  /** What answers a request in the place of Vertex AI; null for one with a token that counts. */
  readonly refusal = ({ headers }: SeenRequest): Script | null => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if ((this.#tokens.get(token) ?? 0) > this.#options.now()) return null;
    // https://github.com/googleapis/java-aiplatform/issues/1056
    const message =
      "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.";
    return jsonReply({ error: { code: 401, message, status: "UNAUTHENTICATED" } }, { status: 401 });
  };

  /** The metadata server of a machine: https://docs.cloud.google.com/compute/docs/metadata/querying-metadata */
  readonly metadata = ({ path, headers }: SeenRequest): Script => {
    if (headers["metadata-flavor"] !== "Google") return jsonReply({}, { status: 403 });
    const body = path.includes("/service-accounts/default/token") ? this.#issue() : {};
    return jsonReply(body, { headers: { "metadata-flavor": "Google" } });
  };

  /** RFC 7523, section 3: takes the signature for granted, which is the package's. Words of an unknown account: a guess. */
  #byAssertion(form: URLSearchParams): Response {
    const { iss = "", scope }: JWTPayload = decodeJwt(form.get("assertion") ?? "");
    if (!this.#options.accounts.includes(iss)) return refused("Invalid grant: account not found");
    if (!String(scope).split(" ").includes(SCOPE)) return answer(400, { error: "invalid_scope" });
    return answer(200, this.#issue());
  }

  /** RFC 8693, for workload identity federation. The words of the refusal: a guess. */
  #byExchange(form: URLSearchParams): Response {
    const subject = this.#options.federations.get(form.get("audience") ?? "");
    if (subject === undefined || subject !== form.get("subject_token")) return refused("Invalid ID Token.");
    return answer(200, {
      ...this.#issue(),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
  }

  #issue() {
    const token = `ya29.${this.#tokens.size + 1}`;
    this.#tokens.set(token, this.#options.now() + LIFE_S * 1000);
    return { access_token: token, expires_in: LIFE_S, token_type: "Bearer" };
  }
}
