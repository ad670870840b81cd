import { openKeyRing } from "../../compose/keys.js";
import { SextantError } from "../../foundation/errors.js";
import { loadSettings, readEnvironment, StoreDownError } from "../../gateway/index.js";
import { type CliContext, CommandFailure } from "../context.js";
import { optionName, type ServerOptions } from "./options.js";
import type { TraceReader } from "./reader.js";
import { serverTraces } from "./server.js";
import { storedTraces } from "./store.js";

/** Hands the traces of a running server, or of the store that the settings name, to `use`, and puts faults in words. */
export async function withTraces(
  { url }: ServerOptions,
  context: CliContext,
  use: (traces: TraceReader) => Promise<void>,
): Promise<void> {
  const { signal } = context;
  const { SEXTANT_BASE_URL, SEXTANT_API_KEY } = readEnvironment(context.environment, context);
  const address = url ?? SEXTANT_BASE_URL ?? "";
  const where = address === "" ? "store" : "server";
  try {
    const traces =
      where === "server"
        ? serverTraces(address, { apiKey: SEXTANT_API_KEY, fetch: context.fetch, signal })
        : await localTraces(context);
    try {
      await use(traces);
    } finally {
      await traces.close();
    }
  } catch (error) {
    if (signal.aborted) throw new CommandFailure("stopped", 130);
    throw inWordsOfTheCommandLine(error, { where, context });
  }
}

async function localTraces(context: CliContext): Promise<TraceReader> {
  const settings = loadSettings(context.environment, context);
  const keys = await openKeyRing(settings);
  const keyNames = (id: string) => keys.nameOf(id);
  return storedTraces(context.openTraceStore(settings), { keyNames, signal: context.signal });
}

interface Asked {
  readonly where: "store" | "server";
  readonly context: CliContext;
}

function inWordsOfTheCommandLine(error: unknown, { where, context }: Asked): unknown {
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
