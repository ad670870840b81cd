import { CommandFailure } from "./context.js";

/** @param address with or without `/v1`, as client libraries want it @returns without @throws CommandFailure */
export function rootOf(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address))
    return address.replace(/\/+$/, "").replace(/\/v1$/, "");
  throw new CommandFailure(
    `"${address}" is not the address of a server. Give one such as http://127.0.0.1:8080.`,
    2,
  );
}
