import type { Command } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { cliRun } from "../fakes/cli-context.js";

const INTRODUCTION = `# The command line

\`npm start\` is \`sextant serve\`; in a checkout, \`node dist/cli/main.js\` is \`sextant\`. Settings come from the environment, \`.env\`
and the settings file: see [settings.md](settings.md). Answers go to standard output; warnings, faults and progress to
standard error.

Exit codes: 0 done; 1 failed, with the reason on standard error; 2 wrong usage; 130 stopped by Ctrl-C in the middle of a batch, search, export, build or collection.

- \`sextant serve\` prints \`sextant listening on http://host:port\` when it is ready, then which providers are configured, how many live
  models can be decided among, which variables would add more, and where traces are kept. On the first start it makes an API key and
  prints it, this once, as a line that sets \`SEXTANT_API_KEY\`, and \`curl\` lines that use it: a decision and, where a provider is configured, a request to \`auto\`. SIGINT and SIGTERM let requests in flight finish, for at most
  \`SEXTANT_SHUTDOWN_GRACE_MS\`; a second signal ends the process at once.
- \`sextant route\` prints a table on a terminal and padded columns elsewhere. \`--batch\` reads and writes one line of JSON per
  prompt, streaming: \`{"id", "selected_model", "selected_provider", "expected_quality", "expected_cost_usd",
  "nearest_similarity", "candidates": [{"model", "expected_quality", "expected_cost_usd", "score"}]}\`.
- \`sextant models\` lists every model that the catalog or a profile knows, with its maker, dates, providers, limits and prices, and whether
  routing can choose it, or why not. The facts are those of \`catalog/models.json\`; \`npm run catalog:update -- --from FILE|URL\` in a
  checkout brings models.dev's lists into it.
- \`sextant keys\` works on \`keys.json\` in the data folder, beside any running server: a new key works at once, a revoked one
  stops within half a second. The file holds digests only; a lost key cannot be shown again, only replaced.
- \`sextant connect\` and \`sextant run\` point [coding agents](tools.md) at a server of this machine, with a key from its data folder, or
  with \`--url\` at another, which makes the key.
- \`sextant traces\` asks a running server when \`--url\` or \`SEXTANT_BASE_URL\` names one, with \`SEXTANT_API_KEY\`, and otherwise opens
  the store of the settings itself. Only one process can have a DuckDB file open: while a server runs on it, ask the server. \`--json\`
  prints the fields of [the HTTP API](api.md). \`export\` writes a line of that for each trace, or [the same as a Parquet
  table](api.md#get-admintracesexport), under another name until the file is whole.
- \`--embedder\` with a hub id or a transformer needs [a further package](settings.md#another-embedder).
- \`sextant profile collect\` asks models and grades their answers: [how](workbench.md).
- \`sextant profile build --index hnsw\` needs the package \`hnswlib-node\`: \`npm install hnswlib-node@3\` where Sextant is installed, which takes a C++
  compiler. A set with a graph works without it too, by its IVF lists. \`auto\` never chooses it: [decision 2](decisions/0002-nearest-neighbours.md).
`;

it("docs/cli.md holds the help of every command (`npx vitest run test/cli/cli-page.test.ts -u` writes it)", async () => {
  const program = await createProgram(cliRun({ workingDirectory: "." }).context);
  const page = [INTRODUCTION, ...sections(program, "")].join("\n");
  await expect(page).toMatchFileSnapshot("../../docs/cli.md");
});

function sections(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`.trim();
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  const subcommands = command.commands.flatMap((subcommand) => sections(subcommand as Command, name));
  return [`## ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`, ...subcommands];
}
