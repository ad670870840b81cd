import type { ComposedServer } from "../../compose/compose.js";
import type { Settings } from "../../gateway/settings.js";
import { CommandFailure } from "../context.js";

/** @returns the server's address. @throws CommandFailure that says what to do when it cannot listen */
export async function listen(
  server: ComposedServer,
  { host, port }: Pick<Settings, "host" | "port">,
): Promise<string> {
  try {
    return await server.start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const reason = LISTEN_FAULTS[String(code)];
    if (reason === undefined) throw error;
    throw new CommandFailure(`cannot listen on ${host}:${port}: ${reason}`);
  }
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "the port is in use. Stop the other process, or set SEXTANT_PORT to another port (0 for any free one).",
  EACCES: "the system does not allow it. Set SEXTANT_PORT to 1024 or above.",
  EADDRNOTAVAIL: "the address is not one of this machine. Set SEXTANT_HOST to one that is.",
  ENOTFOUND: "the host name cannot be resolved. Set SEXTANT_HOST to an address of this machine.",
};
