/**
 * Microsoft Entra's token endpoint, a managed identity's, and Azure OpenAI as far as they authenticate. Each rule names
 * what its words are from, as of 2026-11-27; 401 with `invalid_client`:
 * https://github.com/external-secrets/external-secrets/issues/2783 (2023-10-13).
 */
import { jsonReply, type Script, type SeenRequest } from "../upstream-server.js";

const TENANT = "11111111-2222-3333-4444-555555555555";
const CLIENT = "66666666-7777-8888-9999-000000000000";
export const ENTRA = { TENANT, CLIENT, SECRET: "the-secret-of-the-client" } as const;

const AUTHORITY = `https://login.microsoftonline.com/${TENANT}`;
const LIFE_S = 3600;

interface EntraOptions {
  /** The one token of an identity provider that counts for the client. */
  readonly assertion: string;
  /** Milliseconds since the epoch, by Microsoft's clock. */
  readonly now: () => number;
}

/** As the package hands a request over. */
interface PipelineRequest {
  readonly url: string;
  readonly method: string;
  readonly body?: unknown;
}

export class EntraFake {
  readonly #options: EntraOptions;
  /** Token → what it is for, and when it ends. */
  readonly #tokens = new Map<string, { readonly scope: string; readonly endsAtMs: number }>();

  constructor(options: EntraOptions) {
    this.#options = options;
  }

  get issued(): number {
    return this.#tokens.size;
  }

  /** In the place of the network, for the package's `httpClient`. */
  readonly httpClient = {
    sendRequest: async (request: PipelineRequest) => {
      const [status, body] = this.#answer(request);
      const none = { get: () => undefined, has: () => false, toJSON: () => ({}) };
      const headers = { ...none, [Symbol.iterator]: [][Symbol.iterator] };
      return { request, status, headers, bodyAsText: JSON.stringify(body) };
    },
  };

  /** What answers a request in the place of Azure OpenAI; null for one with a token that counts. */
  readonly refusalOf = ({ headers }: SeenRequest): Script | null => {
    const token = this.#tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "");
    const audience = "https://cognitiveservices.azure.com";
    if (token?.scope === `${audience}/.default` && token.endsAtMs > this.#options.now()) return null;
    // https://github.com/Azure-Samples/azure-search-openai-demo/issues/458 (2024-09-12)
    const message = `Unauthorized. Access token is missing, invalid, audience is incorrect (${audience}), or have expired.`;
    return jsonReply({ statusCode: 401, message }, { status: 401 });
  };

  #answer({ url, body }: PipelineRequest): readonly [status: number, body: object] {
    const v2 = `${AUTHORITY}/oauth2/v2.0`;
    const endpoints = { token_endpoint: `${v2}/token`, authorization_endpoint: `${v2}/authorize` };
    if (url.includes("/.well-known/openid-configuration"))
      return [
        200,
        { issuer: `${AUTHORITY}/v2.0`, ...endpoints, jwks_uri: `${AUTHORITY}/discovery/v2.0/keys` },
      ];
    if (url.includes("/discovery/instance"))
      return [200, { metadata: [], tenant_discovery_endpoint: AUTHORITY }];
    if (!url.startsWith(endpoints.token_endpoint)) return [404, {}];
    const form = new URLSearchParams(String(body));
    const problem = this.#problemOf(form);
    if (problem !== null) return [401, { error: "invalid_client", error_description: problem }];
    const scope =
      form
        .get("scope")
        ?.split(" ")
        .find((one) => one.endsWith("/.default")) ?? "";
    const access_token = `token-${this.issued + 1}`;
    this.#tokens.set(access_token, { scope, endsAtMs: this.#options.now() + LIFE_S * 1000 });
    return [200, { token_type: "Bearer", expires_in: LIFE_S, access_token }];
  }

  /** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
  #problemOf(form: URLSearchParams): string | null {
    const assertion = form.get("client_assertion");
    // https://github.com/ahaenggli/AzureAD-LDAP-wrapper/issues/45 (2023-03-05)
    if (assertion === null)
      return form.get("client_secret") === ENTRA.SECRET
        ? null
        : "AADSTS7000215: Invalid client secret provided.";
    // Words: a guess.
    return assertion === this.#options.assertion ? null : "AADSTS5000821: Token is invalid.";
  }
}
