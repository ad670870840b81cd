import { SextantError } from "../../foundation/errors.js";
import type { TraceStatsBody } from "../../gateway/features/traces/schema/stats.js";
import type { KeyNames, TraceBody, TraceListBody } from "../../gateway/features/traces/schema/trace.js";
import {
  parseTraceQuery,
  statsBody,
  statsQuery,
  statsQuestion,
  traceBody,
  traceListBody,
  traceListSchema,
  traceSchema,
  traceStatsSchema,
} from "../../gateway/index.js";
import type { TraceStore } from "../../gateway/traces/store.js";
import type { CliContext } from "../context.js";
import { type Server, ServerUnreachable } from "../server.js";
import type { TraceParameters } from "./options.js";

/**
 * The finished requests as commands read them, in the form the HTTP API has for them, whether from a store or from a server.
 *
 * Everything may throw SextantError, as the API would answer, or CommandFailure when no server answers.
 */
export interface TraceReader {
  list(parameters: TraceParameters): Promise<TraceListBody>;
  /** @throws SextantError `trace_not_found` */
  find(requestId: string): Promise<TraceBody>;
  /** `by` is one of the parameters. */
  stats(parameters: TraceParameters): Promise<readonly TraceStatsBody[]>;
  /** All that match, oldest first, in batches. */
  export(parameters: TraceParameters): AsyncIterable<readonly TraceBody[]>;
  close(): Promise<void>;
}

/** The traces of a store that this process has opened. Anyone who may read its file may see all of them. */
export function storedTraces(
  store: TraceStore,
  { keyNames, context: { signal, now } }: { readonly keyNames: KeyNames; readonly context: CliContext },
): TraceReader {
  const options = { scope: "all", signal } as const;
  return {
    async list(parameters) {
      const { filter, page } = parseTraceQuery(parameters);
      return traceListBody(await store.ask("list", { filter, page }, options));
    },
    async find(requestId) {
      const trace = await store.ask("find", requestId, options);
      if (trace !== undefined) return traceBody(trace, keyNames);
      throw new SextantError(
        "trace_not_found",
        `There is no trace ${JSON.stringify(requestId.slice(0, 40))}.`,
      );
    },
    async stats(parameters) {
      const question = statsQuestion(statsQuery.parse(parameters), now());
      return (await store.ask("stats", question, options)).map(statsBody);
    },
    async *export(parameters) {
      for await (const batch of store.export({ filter: parseTraceQuery(parameters).filter }, options)) {
        yield batch.map((trace) => traceBody(trace, keyNames));
      }
    },
    close: () => store.close(),
  };
}

/** The traces of a running server. */
export function serverTraces({ root, ask, open }: Server, { signal }: CliContext): TraceReader {
  async function asked<Body>(
    path: string,
    schema: { safeParse(value: unknown): { readonly data?: Body | undefined } },
    query: TraceParameters = {},
  ): Promise<Body> {
    const { data } = schema.safeParse(await ask(path, { query }));
    if (data !== undefined) return data;
    throw new ServerUnreachable(
      `${root} answers with something other than traces. Is it a Sextant server of this version?`,
    );
  }
  return {
    list: (parameters) => asked("/v1/traces", traceListSchema, parameters),
    find: (requestId) => asked(`/v1/traces/${encodeURIComponent(requestId)}`, traceSchema),
    stats: async (parameters) => (await asked("/admin/traces/stats", traceStatsSchema, parameters)).data,
    async *export(query) {
      const { body } = await open("/admin/traces/export", { query });
      try {
        for await (const lines of wholeLines(body ?? []))
          yield lines.map((line): TraceBody => JSON.parse(line));
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
async function* wholeLines(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<readonly string[]> {
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
