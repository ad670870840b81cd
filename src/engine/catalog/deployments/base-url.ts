/** Addresses of APIs as settings and variables give them. */
import { SettingsError } from "../../../foundation/errors.js";

interface BaseUrlOptions {
  /** Origin of the address, for messages. */
  readonly from: string;
  /** Added to an address without a path; default none. */
  readonly defaultPath?: string;
}

/**
 * The address of an API, without a trailing slash. Its query may hold an `api-version`, as Azure's do, and nothing
 * else.
 *
 * @throws SettingsError when it is not an http or https URL, or carries credentials, another query or a fragment
 */
export function checkedBaseUrl(text: string, { from, defaultPath = "" }: BaseUrlOptions): string {
  const url = parsed(text.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new SettingsError(
      `${from} is ${shown(text)}: it must be an http or https URL, such as https://api.example.com/v1.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new SettingsError(
      `${from} has credentials in the URL: leave them out, and give the provider's key instead.`,
    );
  }
  const queries = [...url.searchParams.keys()];
  if (queries.some((name) => name !== "api-version") || url.hash !== "") {
    throw new SettingsError(
      `${from} has a query or a fragment: give the address only up to the \`?\` or \`#\`; ` +
        "`?api-version=…` alone may stay.",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? defaultPath : path}${url.search}`;
}

const parsed = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** The value for a message, unless it may be a key in the wrong variable. */
function shown(text: string): string {
  const looksLikeAddress = text.length <= 100 && !/[@?#]/.test(text) && /[:/]|^localhost/.test(text);
  return looksLikeAddress ? JSON.stringify(text) : "not a URL";
}

const OLLAMA_PORT = 11_434;

/**
 * Reads `OLLAMA_HOST` as Ollama's own programs do: the scheme and the port are optional, and `0.0.0.0` means this
 * machine.
 */
export function ollamaAddress(host: string): string {
  const trimmed = host.trim();
  const withScheme = /^https?:\/\//.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = parsed(withScheme);
  if (url === null) return trimmed;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  const hasScheme = withScheme === trimmed;
  if (url.port === "" && !hasScheme) url.port = String(OLLAMA_PORT);
  return url.href;
}
