import { withKeys } from "../../compose/keys.js";
import { SextantError } from "../../foundation/errors.js";
import type { TraceBody } from "../../gateway/features/traces/schema/trace.js";
import { loadSettings, readEnvironment, StoreDownError } from "../../gateway/index.js";
import type { OptionsOf } from "../command.js";
import { type CliContext, CommandFailure } from "../context.js";
import type { SERVER_OPTION } from "../options.js";
import { serverAt } from "../server.js";
import { optionName, type TraceParameters } from "./options.js";
import { serverTraces, storedTraces, type TraceReader } from "./reader.js";

type ServerOption = OptionsOf<typeof SERVER_OPTION>;

/** Hands the traces of a running server, or of the store that the settings name, to `use`, and puts faults in words. */
export async function withTraces(
  options: ServerOption,
  context: CliContext,
  use: (traces: TraceReader) => Promise<void>,
): Promise<void> {
  const { where, open } = sourceOf(options, context);
  try {
    const traces = await open();
    try {
      await use(traces);
    } finally {
      await traces.close();
    }
  } catch (error) {
    throw explained(error, { where, context });
  }
}

/** The finished requests that match, oldest first; the store or server is left after the last. @throws as `withTraces` */
export async function* exportedTraces(
  options: ServerOption,
  context: CliContext,
  parameters: TraceParameters,
): AsyncGenerator<TraceBody> {
  const { where, open } = sourceOf(options, context);
  try {
    const traces = await open();
    try {
      for await (const batch of traces.export(parameters)) yield* batch;
    } finally {
      await traces.close();
    }
  } catch (error) {
    throw explained(error, { where, context });
  }
}

function sourceOf({ url }: ServerOption, context: CliContext) {
  const { SEXTANT_BASE_URL, SEXTANT_API_KEY: apiKey } = readEnvironment(context.environment, context);
  const address = url ?? SEXTANT_BASE_URL ?? "";
  if (address === "") return { where: "store", open: () => localTraces(context) } as const;
  const open = async () => serverTraces(serverAt(address, { apiKey, context }), context);
  return { where: "server", open } as const;
}

async function localTraces(context: CliContext): Promise<TraceReader> {
  const settings = loadSettings(context.environment, context);
  const names = await withKeys(settings, (ring) => new Map(ring.list().map(({ id, name }) => [id, name])));
  return storedTraces(await context.openTraceStore(settings), { keyNames: (id) => names.get(id), context });
}

interface Asked {
  readonly where: "store" | "server";
  readonly context: CliContext;
}

/** The error to throw, in words of the command line. */
function explained(error: unknown, { where, context }: Asked): unknown {
  if (context.signal.aborted) return new CommandFailure("stopped", 130);
  if (!(error instanceof SextantError)) return error;
  const { code, param, message } = error;
  if (code === "invalid_request" && param !== null) {
    return new CommandFailure(message.replaceAll(`\`${param}\``, `\`${optionName(param)}\``), 2);
  }
  if (code === "store_down" && where === "store") {
    const { port } = loadSettings(context.environment, context);
    const remedy =
      "If a server runs on this folder, ask it: give its address and an API key, such as --url " +
      `http://127.0.0.1:${port === 0 ? "PORT" : port} (or SEXTANT_BASE_URL) and SEXTANT_API_KEY.`;
    return new CommandFailure(`${error instanceof StoreDownError ? error.fault : message} ${remedy}`);
  }
  if (code === "missing_credentials") return new CommandFailure(`${message} Set SEXTANT_API_KEY.`);
  return error;
}
