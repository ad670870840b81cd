/** The whole gateway in this process, composed as `sextant serve` composes it, and how tests call a server. */
import { type Logger, pino } from "pino";
import { expect } from "vitest";
import { composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { KEY } from "../gateway/server.js";
import { newFolder, PATIENCE, removeFolder } from "./server-process.js";

export interface Call {
  /** Default the admin's. */
  readonly key?: string;
  /** Default POST with a body, GET without. */
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Caller = ReturnType<typeof callerOf>;

/** Sends JSON to a server. */
export const callerOf =
  (address: string) =>
  async (path: string, { key = KEY, method, body, headers }: Call = {}) => {
    const response = await fetch(address + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        "x-api-key": key,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get("x-request-id") ?? "",
      text,
      json: () => JSON.parse(text),
    };
  };

/** The trace of a request, once it is stored. */
export async function traceOf(call: Caller, requestId: string): Promise<Record<string, unknown>> {
  const path = `/v1/traces/${requestId}`;
  await expect.poll(async () => (await call(path)).status).toBe(200);
  return (await call(path)).json();
}

export interface WholeGateway {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly call: Caller;
  /** Its data folder stays when it was given. */
  stop(): Promise<void>;
}

export interface WholeGatewayOptions {
  /** Its data and its settings file. Default a new one. */
  readonly folder?: string;
  readonly logger?: Logger;
}

/** Resolves when it listens. It tries no request twice and stores traces at once, unless it is told otherwise. */
export async function startWholeGateway(
  given: Readonly<Record<string, string>>,
  { folder, logger = pino({ level: "silent" }) }: WholeGatewayOptions = {},
): Promise<WholeGateway> {
  const home = folder ?? newFolder();
  const environment = {
    ...PATIENCE,
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: home,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_TRACE_FLUSH_MS: "1",
    ...given,
  };
  const settings = loadSettings(environment, { workingDirectory: home });
  const server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  const address = await server.start();
  return {
    address,
    call: callerOf(address),
    async stop() {
      await server.stop();
      if (folder === undefined) removeFolder(home);
    },
  };
}
