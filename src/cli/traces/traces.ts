import { group } from "../command.js";
import { exportCommand } from "./export.js";
import { searchCommand } from "./search.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";
import { tailCommand } from "./tail.js";

/** `sextant traces`: the finished requests, from a running server or from the store itself. */
export const tracesCommand = group("traces", "follow, search, show, summarize and export finished requests", {
  commands: [tailCommand, searchCommand, showCommand, statsCommand, exportCommand],
  help: `
While a server runs on a DuckDB file, no other process can open it: ask the server, with SEXTANT_API_KEY and its address,
such as --url http://127.0.0.1:8080, or SEXTANT_BASE_URL. --json prints the fields of the HTTP API. search, show and tail need the scope traces:read; stats and export need admin.`,
});
