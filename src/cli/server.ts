/** A running server, asked without the client library: loading that takes longer than all else a short command does. */
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
  async function open(path: string, { method = "get", apiKey: key = apiKey, query = {}, body }: Asked = {}) {
    const url = new URL(root + path);
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) url.searchParams.append(name, value);
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body && { "content-type": "application/json" }),
    };
    const sent = {
      method: method.toUpperCase(),
      headers,
      signal: AbortSignal.any([signal]),
      ...(body && { body: JSON.stringify(body) }),
    };
    const answer = await fetch(url, sent).catch((error: unknown) => {
      throw signal.aborted ? error : unreachable(root, error);
    });
    if (!answer.ok) throw faultOf(answer.status, await jsonOf(answer), root);
    return answer;
  }
  return { root, open, ask: async (path, asked) => jsonOf(await open(path, asked)) };
}

/** Undefined where it is something else. */
const jsonOf = (answer: Response): Promise<unknown> => answer.json().catch(() => undefined);

function unreachable(root: string, error: unknown): ServerUnreachable {
  const { code } = (error instanceof Error ? (error.cause ?? {}) : {}) as { readonly code?: string };
  return new ServerUnreachable(
    `No server answers at ${root}${code === undefined ? "" : ` (${code})`}. ` +
      "Start one with `sextant serve`, or give the address of another with --url.",
  );
}

/** What the server answered, as the error it began as. */
function faultOf(status: number, answer: unknown, root: string): Error {
  const { data } = errorSchema.pick({ error: true }).safeParse(answer);
  if (data === undefined) return new ServerUnreachable(`${root} answered ${status}. Is it a Sextant server?`);
  const { code, message, param } = data.error;
  return new SextantError(code, message, param === null ? {} : { param });
}
