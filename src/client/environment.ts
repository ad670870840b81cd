/** Where `npm start` serves. */
const LOCAL = "http://127.0.0.1:8080/v1";

/** What the client takes from the environment; a browser has none. */
interface ClientEnvironment {
  readonly apiKey: string | undefined;
  readonly baseURL: string;
}

export function clientEnvironment(): ClientEnvironment {
  const variables = globalThis.process?.env ?? {};
  const read = (name: string) => variables[name]?.trim() || undefined;
  return {
    apiKey: read("SEXTANT_API_KEY"),
    baseURL: read("SEXTANT_BASE_URL") ?? LOCAL,
  };
}
