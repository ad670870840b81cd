import type { CloudAuth } from "../../engine/catalog/deployments/cloud-auth.js";
import type { Dialect } from "../../engine/catalog/providers/dialect.js";
import { SettingsError } from "../../foundation/errors.js";
import { subscriptionOf } from "../../foundation/subscription-login.js";
import { anthropic } from "./anthropic/anthropic-provider.js";
import { messagesHost } from "./anthropic/messages-host.js";
import { openAuthorizer } from "./auth/open-authorizer.js";
import type { UpstreamLimits } from "./http/upstream.js";
import { openAiCompatible } from "./openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "./openai-compatible/quirks.js";
import type { Provider } from "./provider.js";
import { sandbox } from "./sandbox/sandbox-provider.js";

export interface ProviderOptions {
  readonly id: string;
  readonly type: Dialect;
  /** Null for the sandbox only. */
  readonly baseUrl: string | null;
  /** Undefined when none is needed. */
  readonly apiKey: string | undefined;
  /** In place of a key. */
  readonly auth?: CloudAuth | undefined;
  /** Sent with every request, beside the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Id of the public provider whose quirks the API shares; undefined: determined by the address. */
  readonly like?: string | undefined;
  /** Of the API, where it has several: Anthropic's header, Azure's query. */
  readonly apiVersion?: string | undefined;
  readonly limits: UpstreamLimits;
}

/**
 * The adapter of a provider's dialect. Connects when the first request is sent.
 *
 * @throws SettingsError when the key is the login of a subscription, and when a package that `auth` needs is missing
 * @throws TypeError when the address, the key or `like` cannot be used; the message holds neither address nor key
 */
export function openProvider(options: ProviderOptions): Provider {
  const { id, type, apiKey, headers, limits } = options;
  const subscription = apiKey && subscriptionOf(apiKey);
  if (subscription)
    throw new SettingsError(
      `the key of the provider ${id} is the login of a ${subscription} subscription. Vendors close accounts whose ` +
        "subscription other programs use: give an API key instead, of its console.",
    );
  const authorizer = openAuthorizer(options.auth, { id });
  switch (type) {
    case "sandbox":
      return sandbox(id);
    case "anthropic": {
      const baseUrl = addressOf(options);
      const host = messagesHost({ like: options.like, baseUrl });
      const version = options.apiVersion === undefined ? {} : { apiVersion: options.apiVersion };
      return anthropic({ id, baseUrl, apiKey, headers, authorizer, host, ...version, ...limits });
    }
    case "openai-compatible": {
      const baseUrl = addressOf(options);
      const quirks = quirksFor({ id, like: options.like, baseUrl });
      const versioned = quirks.paths === "azure" ? withVersion(baseUrl, options.apiVersion) : baseUrl;
      return openAiCompatible({ id, baseUrl: versioned, apiKey, headers, authorizer, quirks, ...limits });
    }
  }
}

function addressOf({ id, baseUrl }: ProviderOptions): string {
  if (baseUrl === null) throw new TypeError(`the provider ${id} has no address; set its \`base_url\``);
  return baseUrl;
}

/** A version in the address itself counts more. */
function withVersion(baseUrl: string, apiVersion: string | undefined): string {
  if (apiVersion === undefined || !URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (!url.searchParams.has("api-version")) url.searchParams.set("api-version", apiVersion);
  return url.href;
}
