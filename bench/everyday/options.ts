import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeCommand } from "../options.js";

export interface EverydayOptions {
  /** Folder of outcomes to compare rankings with; undefined = not compared. */
  readonly data: string | undefined;
  /** Markdown file to write. */
  readonly out: string;
  readonly command: string;
}

export const EVERYDAY_USAGE = `npm run bench -- everyday [options]

  --data DIR   holds routing and routing-current: rankings by measured outcomes
  --out FILE   page to write (default docs/everyday.md)`;

export function parseEverydayOptions(argv: readonly string[]): EverydayOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: { data: { type: "string" }, out: { type: "string", default: join("docs", "everyday.md") } },
  });
  return { data: values.data, out: values.out, command: describeCommand("everyday", argv) };
}
