import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Command } from "commander";
import { checkedCatalog, newestCatalogFile, shippedCatalogFile, storeCatalog } from "../engine/index.js";
import { SettingsError } from "../foundation/errors.js";
import { loadSettings } from "../gateway/index.js";
import { type CliContext, CommandFailure, writeLine } from "./context.js";

/** `sextant catalog update`: models and prices newer than those of the package. */
export function catalogCommand(context: CliContext): Command {
  const update = new Command("update")
    .description("store a newer catalog of models and prices in the data folder")
    .argument("<source>", "the file `catalog/models.json` of a newer version: its path, or an https address")
    .action((source: string) => updateCatalog(source, context))
    .addHelpText("after", HELP);
  return new Command("catalog").description("models and prices: bring them up to date").addCommand(update);
}

const HELP = `
Servers and commands use it from their next start on, a running server from its next reload on (SIGHUP, POST /admin/reload), until the
package has a newer one. It is checked first; the one before is kept beside it, as catalog.previous.json. There is no default source: no
address publishes the file yet.

Examples:
  $ sextant catalog update ../sextant/catalog/models.json
  $ sextant catalog update https://files.example.com/models.json`;

async function updateCatalog(source: string, context: CliContext): Promise<void> {
  const { dataDir } = loadSettings(context.environment, context);
  const text = await textAt(source, context);
  const file = checkedCatalog(text, source);
  const known = inUse(dataDir);
  if (file.as_of < known.as_of) {
    throw new CommandFailure(
      `${source} is of ${file.as_of}, older than the catalog in use, of ${known.as_of}. Take a newer one.`,
    );
  }
  const path = await storeCatalog(dataDir, text);
  const added = Object.keys(file.models).filter((id) => !Object.hasOwn(known.models, id));
  const named = added.length === 0 ? "" : `: ${added.slice(0, MOST_NAMED).join(", ")}`;
  const more = added.length > MOST_NAMED ? `, and ${added.length - MOST_NAMED} more` : "";
  await writeLine(
    context.stdout,
    `${path} has the models and prices of ${file.as_of} (before: ${known.as_of}), ${added.length} models more${named}${more}.\n` +
      "A running server uses them after a reload: SIGHUP, or POST /admin/reload.",
  );
}

const MOST_NAMED = 10;

/** The shipped one where the stored one is damaged. */
function inUse(dataDir: string) {
  try {
    return newestCatalogFile(dataDir);
  } catch (fault) {
    if (!(fault instanceof SettingsError)) throw fault;
    return shippedCatalogFile();
  }
}

async function textAt(source: string, context: CliContext): Promise<string> {
  if (/^http:/i.test(source))
    throw new CommandFailure(`${source} could be changed on its way, and prices with it. Use https.`, 2);
  if (!/^https:/i.test(source)) {
    return readFile(resolve(context.workingDirectory, source), "utf8").catch((fault: Error) => {
      throw new CommandFailure(`${source} cannot be read: ${fault.message}`);
    });
  }
  const reply = await context.fetch(source, { signal: context.signal }).catch((fault: Error) => {
    throw new CommandFailure(`${source} cannot be reached: ${fault.message}`);
  });
  if (!reply.ok) throw new CommandFailure(`${source} answered ${reply.status} ${reply.statusText}.`);
  return reply.text();
}
