/**
 * Google's token endpoints and Vertex AI as far as they authenticate. Each rule names what its words are from, as of
 * 2026-11-27.
 */
import { type CryptoKey, decodeJwt, type JWTPayload, jwtVerify } from "jose";
import { jsonReply, type Script, type SeenRequest } from "../upstream-server.js";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const LIFE_S = 3600;
const MOST_SKEW_S = 300;

interface GoogleOptions {
  /** Of service accounts: address → public key. */
  readonly accounts: ReadonlyMap<string, CryptoKey>;
  /** Identity providers that are trusted for a pool's provider: its name → their public key. */
  readonly federations: ReadonlyMap<string, CryptoKey>;
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
    const reply = await this.#byExchange(new URLSearchParams(exchange.request.body));
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

  /** RFC 7523, section 3. Words of an unknown account: a guess. */
  async #byAssertion(form: URLSearchParams): Promise<Response> {
    const assertion = form.get("assertion") ?? "";
    const { iss = "", iat = 0, exp = 0, scope }: JWTPayload = decodeJwt(assertion);
    const key = this.#options.accounts.get(iss);
    if (key === undefined) return refused("Invalid grant: account not found");
    const nowS = this.#options.now() / 1000;
    const isTimely = exp - iat <= LIFE_S && iat <= nowS + MOST_SKEW_S && exp > nowS;
    // https://github.com/fastlane/fastlane/issues/14972 (2019-07-02)
    if (!isTimely)
      return refused(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
      );
    if (!String(scope).split(" ").includes(SCOPE)) return answer(400, { error: "invalid_scope" });
    // https://github.com/erebusnz/gapi-google-analytics-php-interface/issues/147 (2016-03-18)
    if (!(await this.#isSigned(assertion, key))) return refused("Invalid JWT Signature.");
    return answer(200, this.#issue());
  }

  /**
   * RFC 8693, for workload identity federation: `invalid_target` is its code for an audience that is not known. The
   * words of the other refusals are guesses.
   */
  async #byExchange(form: URLSearchParams): Promise<Response> {
    const audience = form.get("audience") ?? "";
    const key = this.#options.federations.get(audience);
    const subject = form.get("subject_token") ?? "";
    const { aud, exp = 0 } = decodeJwt(subject);
    if (key === undefined) return answer(400, { error: "invalid_target" });
    if (aud !== `https:${audience}`)
      return refused("The audience in ID Token does not match the expected audience.");
    if (exp * 1000 <= this.#options.now()) return refused("ID Token is stale to sign-in.");
    if (!(await this.#isSigned(subject, key))) return refused("Invalid ID Token signature.");
    return answer(200, {
      ...this.#issue(),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
  }

  async #isSigned(token: string, key: CryptoKey): Promise<boolean> {
    const currentDate = new Date((decodeJwt(token).iat ?? 0) * 1000);
    return jwtVerify(token, key, { algorithms: ["RS256"], currentDate }).then(
      () => true,
      () => false,
    );
  }

  #issue() {
    const token = `ya29.${this.#tokens.size + 1}`;
    this.#tokens.set(token, this.#options.now() + LIFE_S * 1000);
    return { access_token: token, expires_in: LIFE_S, token_type: "Bearer" };
  }
}
