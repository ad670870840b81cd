/** A running server, asked by the client library. */
import type { Sextant } from "../client/index.js";
import { SextantError } from "../foundation/errors.js";
import { errorSchema } from "../gateway/index.js";
import { type CliContext, CommandFailure } from "./context.js";

/** No server answers at the address, or one that is not a Sextant server. */
export class ServerUnreachable extends CommandFailure {}

interface Asked {
  readonly method?: "get" | "post" | "delete";
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: object;
  /** Instead of the connection's own. */
  readonly apiKey?: string;
}

export interface Server {
  /** Address without `/v1`. */
  readonly root: string;
  /** The body of its answer. @throws SextantError as the server answers, ServerUnreachable */
  ask(path: string, asked?: Asked): Promise<unknown>;
  /** The answer, of which only the head was read. @throws as `ask` */
  open(path: string, asked?: Asked): Promise<Response>;
}

/** @param address with or without `/v1`, as client libraries want it @throws CommandFailure */
function rootOf(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address))
    return address.replace(/\/+$/, "").replace(/\/v1$/, "");
  throw new CommandFailure(
    `"${address}" is not the address of a server. Give one such as http://127.0.0.1:8080.`,
    2,
  );
}

/**
 * @param address as `rootOf` takes it
 * @param apiKey key or token; a server without authentication needs none
 */
export function serverAt(
  address: string,
  { apiKey, context }: { readonly apiKey: string | undefined; readonly context: CliContext },
): Server {
  const root = rootOf(address);
  const { fetch, signal } = context;
  async function send<Answer>(
    path: string,
    { method = "get", apiKey: key = apiKey, ...sent }: Asked,
    read: (answer: ReturnType<typeof Sextant.prototype.get<unknown>>) => PromiseLike<Answer>,
  ): Promise<Answer> {
    // Loaded when a server is asked: most commands ask none.
    const { Sextant } = await import("../client/index.js");
    const client = new Sextant({ baseURL: root, apiKey: key ?? "none", fetch, maxRetries: 0 });
    const headers = key === undefined ? { authorization: null } : {};
    try {
      // Of its own, because the library never removes its listener.
      return await read(client[method](path, { ...sent, headers, signal: AbortSignal.any([signal]) }));
    } catch (error) {
      if (signal.aborted || !(error instanceof Sextant.APIError)) throw error;
      throw error instanceof Sextant.APIConnectionError ? unreachable(root, error) : faultOf(error, root);
    }
  }
  return {
    root,
    ask: (path, asked = {}) => send(path, asked, (answer) => answer),
    open: (path, asked = {}) => send(path, asked, (answer) => answer.asResponse()),
  };
}

function unreachable(root: string, { cause }: Error): ServerUnreachable {
  const { code } = (cause instanceof Error ? (cause.cause ?? {}) : {}) as { readonly code?: string };
  return new ServerUnreachable(
    `No server answers at ${root}${code === undefined ? "" : ` (${code})`}. ` +
      "Start one with `sextant serve`, or give the address of another with --url.",
  );
}

/** What the server answered, as the error it began as. */
function faultOf(
  { status, error }: { readonly status: number | undefined; readonly error: unknown },
  root: string,
): Error {
  const { data } = errorSchema.shape.error.safeParse(error);
  if (data === undefined) return new ServerUnreachable(`${root} answered ${status}. Is it a Sextant server?`);
  const { code, message, param } = data;
  return new SextantError(code, message, param === null ? {} : { param });
}
