/**
 * Microsoft Entra's token endpoint, a managed identity's, and Azure OpenAI as far as they authenticate. Each rule names
 * what its words are from, as of 2026-11-27; 401 with `invalid_client`:
 * https://github.com/external-secrets/external-secrets/issues/2783 (2023-10-13).
 */
import { type CryptoKey, decodeJwt, jwtVerify, SignJWT } from "jose";
import { jsonReply, type Script, type SeenRequest } from "../upstream-server.js";

const TENANT = "11111111-2222-3333-4444-555555555555";
const CLIENT = "66666666-7777-8888-9999-000000000000";
export const ENTRA = { TENANT, CLIENT, SECRET: "the-secret-of-the-client" } as const;

const AUTHORITY = `https://login.microsoftonline.com/${TENANT}`;
const EXCHANGE_AUDIENCE = "api://AzureADTokenExchange";
const LIFE_S = 3600;

interface EntraOptions {
  /** Signs what it issues. */
  readonly keys: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
  /** Of the identity provider that a federated credential of the client trusts. */
  readonly federation: CryptoKey;
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
  issued = 0;

  constructor(options: EntraOptions) {
    this.#options = options;
  }

  /** In the place of the network, for the package's `httpClient`. */
  readonly httpClient = {
    sendRequest: async (request: PipelineRequest) => {
      const [status, body] = await this.#answer(request);
      const none = { get: () => undefined, has: () => false, toJSON: () => ({}) };
      const headers = { ...none, [Symbol.iterator]: [][Symbol.iterator] };
      return { request, status, headers, bodyAsText: JSON.stringify(body) };
    },
  };

  /** What answers a request in the place of Azure OpenAI; null for one with a token that counts. */
  readonly refusalOf = async ({ headers }: SeenRequest): Promise<Script | null> => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    const audience = "https://cognitiveservices.azure.com";
    const currentDate = new Date(this.#options.now());
    try {
      await jwtVerify(token, this.#options.keys.publicKey, { audience, currentDate, algorithms: ["RS256"] });
      return null;
    } catch {
      // https://github.com/Azure-Samples/azure-search-openai-demo/issues/458 (2024-09-12)
      const message = `Unauthorized. Access token is missing, invalid, audience is incorrect (${audience}), or have expired.`;
      return jsonReply({ statusCode: 401, message }, { status: 401 });
    }
  };

  async #answer({ url, body }: PipelineRequest): Promise<readonly [status: number, body: object]> {
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
    const problem = await this.#problemOf(form);
    if (problem !== null) return [401, { error: "invalid_client", error_description: problem }];
    const access_token = await this.#issue(form.get("scope") ?? "");
    return [200, { token_type: "Bearer", expires_in: LIFE_S, access_token }];
  }

  /** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
  async #problemOf(form: URLSearchParams): Promise<string | null> {
    const assertion = form.get("client_assertion");
    // https://github.com/ahaenggli/AzureAD-LDAP-wrapper/issues/45 (2023-03-05)
    if (assertion === null)
      return form.get("client_secret") === ENTRA.SECRET
        ? null
        : "AADSTS7000215: Invalid client secret provided.";
    const { aud, exp = 0 } = decodeJwt(assertion);
    // A guess, by the same words about the subject: https://github.com/Azure/azure-workload-identity/issues/1200
    // (2025-04-22).
    if (aud !== EXCHANGE_AUDIENCE)
      return `AADSTS700212: No matching federated identity record found for presented assertion audience '${aud}'.`;
    // https://github.com/Azure/login/issues/180 (2022-10-28)
    if (exp * 1000 <= this.#options.now())
      return "AADSTS700024: Client assertion is not within its valid time range.";
    const currentDate = new Date(this.#options.now());
    // Words: a guess.
    return jwtVerify(assertion, this.#options.federation, { currentDate }).then(
      () => null,
      () => "AADSTS5000821: Token is invalid, signature is invalid.",
    );
  }

  async #issue(scopes: string): Promise<string> {
    this.issued += 1;
    const scope = scopes.split(" ").find((one) => one.endsWith("/.default")) ?? "";
    const nowS = Math.floor(this.#options.now() / 1000);
    return new SignJWT({ aud: scope.replace("/.default", ""), appid: CLIENT })
      .setProtectedHeader({ alg: "RS256" })
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + LIFE_S)
      .setJti(String(this.issued))
      .sign(this.#options.keys.privateKey);
  }
}
