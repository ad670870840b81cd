import { Command } from "commander";
import type { CliContext } from "../context.js";
import { exportCommand } from "./export.js";
import { searchCommand } from "./search.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";
import { tailCommand } from "./tail.js";

/** `sextant traces`: the finished requests, from a running server or from the store itself. */
export function tracesCommand(context: CliContext): Command {
  return new Command("traces")
    .description("follow, search, show, sum up and export the finished requests")
    .addCommand(tailCommand(context))
    .addCommand(searchCommand(context))
    .addCommand(showCommand(context))
    .addCommand(statsCommand(context))
    .addCommand(exportCommand(context))
    .addHelpText("after", HELP);
}

const HELP = `
While a server runs on a DuckDB file, no one else can open it: ask the server, with SEXTANT_API_KEY and its address,
such as --url http://127.0.0.1:8080, or SEXTANT_BASE_URL. search, show and tail need the scope traces:read; stats and export need admin.`;
