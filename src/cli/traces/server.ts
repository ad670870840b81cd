import type { z } from "zod";
import { SextantError } from "../../foundation/errors.js";
import type { TraceBody } from "../../gateway/api/traces/trace.js";
import { errorSchema, traceListSchema, traceSchema, traceStatsSchema } from "../../gateway/index.js";
import { CommandFailure } from "../context.js";
import { rootOf } from "../server-address.js";
import type { TraceParameters } from "./options.js";
import type { TraceReader } from "./reader.js";

/** No server answers at the address, or none of ours. */
export class ServerUnreachable extends CommandFailure {}

export interface ServerConnection {
  /** API key or token; a server without authentication needs none. */
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/**
 * The traces of a running server.
 *
 * @param address with or without `/v1`, as client libraries want it
 */
export function serverTraces(address: string, { apiKey, fetch, signal }: ServerConnection): TraceReader {
  const root = rootOf(address);
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

  async function get(path: string, parameters: TraceParameters = {}): Promise<Response> {
    const response = await fetch(`${root}${path}?${queryString(parameters)}`, { headers, signal }).catch(
      (error) => Promise.reject(signal.aborted ? error : unreachable(root, error)),
    );
    if (!response.ok) throw await faultOf(response, root);
    return response;
  }

  async function json<Body>(response: Response, schema: z.ZodType<Body>): Promise<Body> {
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    throw new ServerUnreachable(
      `${root} answers with something that is no trace. Is it a Sextant server of this version?`,
    );
  }

  return {
    list: async (parameters) => json(await get("/v1/traces", parameters), traceListSchema),
    find: async (requestId) => json(await get(`/v1/traces/${encodeURIComponent(requestId)}`), traceSchema),
    stats: async (parameters) =>
      (await json(await get("/admin/traces/stats", parameters), traceStatsSchema)).data,
    async *export(parameters) {
      const { body } = await get("/admin/traces/export", parameters);
      if (body === null) return;
      try {
        for await (const lines of wholeLines(body)) yield lines.map((line): TraceBody => JSON.parse(line));
      } catch (error) {
        throw signal.aborted
          ? error
          : new ServerUnreachable(`${root} broke off before the last trace. Try again.`);
      }
    },
    close: async () => {},
  };
}

/** @throws Error when the text ends within a line */
async function* wholeLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n");
    if (end < 0) {
      pending.push(text);
      continue;
    }
    yield (pending.join("") + text.slice(0, end)).split("\n");
    pending = [text.slice(end + 1)];
  }
  if (pending.join("") !== "") throw new Error("the last line is not whole");
}

function queryString(parameters: TraceParameters): URLSearchParams {
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs);
}

function unreachable(root: string, error: unknown): ServerUnreachable {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ServerUnreachable(
    `${root} cannot be reached${code}. Check the address, and that the server runs.`,
  );
}

/** What the server answered, as the error it began as. */
async function faultOf(response: Response, root: string): Promise<Error> {
  const parsed = errorSchema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) {
    return new ServerUnreachable(`${root} answered ${response.status}. Is it a Sextant server?`);
  }
  const { code, message, param } = parsed.data.error;
  return new SextantError(code, message, param === null ? {} : { param });
}
