import { parseArgs } from "node:util";

export interface HttpOptions {
  readonly rounds: number;
  /** In a round, to each server. */
  readonly requests: number;
  readonly warmUpRequests: number;
  /** How long requests come at a steady rate while the event loop is watched. */
  readonly steadySeconds: number;
}

const FULL: HttpOptions = { rounds: 9, requests: 4_000, warmUpRequests: 4_000, steadySeconds: 4 };
const SMALL: HttpOptions = { rounds: 7, requests: 1_500, warmUpRequests: 3_000, steadySeconds: 2 };

export const HTTP_USAGE = `npm run bench -- http [--size small|full] [--rounds 9]`;

/** @throws Error with the usage */
export function parseHttpOptions(args: readonly string[]): HttpOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { size: { type: "string", default: "full" }, rounds: { type: "string" } },
  });
  const base = { small: SMALL, full: FULL }[values.size];
  const rounds = values.rounds === undefined ? base?.rounds : Number(values.rounds);
  if (base === undefined || !Number.isInteger(rounds) || (rounds ?? 0) < 1)
    throw new Error(`--size or --rounds makes no sense.\n\n${HTTP_USAGE}`);
  return { ...base, rounds: rounds ?? base.rounds };
}
