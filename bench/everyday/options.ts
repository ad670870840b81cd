import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeCommand } from "../options.js";

export interface EverydayOptions {
  /** Folder of outcomes to compare rankings with; undefined = not compared. */
  readonly data: string | undefined;
  /** Profile set folder; undefined = the shipped one. */
  readonly profiles: string | undefined;
  /** Markdown file to write. */
  readonly out: string;
  /** The day whose models and prices are used. */
  readonly at: Date;
  readonly command: string;
}

export const EVERYDAY_PAGE = join("docs", "everyday.md");
const DEFAULT_DAY = "2026-11-28";

export const EVERYDAY_USAGE = `npm run bench -- everyday [options]

  --data DIR        holds routing and routing-current: rankings by measured outcomes
  --profiles DIR    profile set (default the shipped one)
  --at DATE         the day whose models and prices count (default ${DEFAULT_DAY})
  --out FILE        page to write (default ${EVERYDAY_PAGE})`;

/** @throws Error that names the flag, its value and the remedy */
export function parseEverydayOptions(argv: readonly string[]): EverydayOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      profiles: { type: "string" },
      out: { type: "string", default: EVERYDAY_PAGE },
      at: { type: "string", default: DEFAULT_DAY },
    },
  });
  const at = new Date(values.at);
  if (Number.isNaN(at.getTime()))
    throw new Error(`--at is "${values.at}"; write a date such as ${DEFAULT_DAY}.`);
  const { data, profiles, out } = values;
  return { data, profiles, out, at, command: describeCommand("everyday", argv) };
}
