import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { checkedCatalog, shippedCatalogFile, storeCatalog } from "../engine/index.js";
import { shortened } from "../foundation/bounded-text.js";
import { loadSettings } from "../gateway/index.js";
import { command, group } from "./command.js";
import { type CliContext, CommandFailure, writeLine } from "./context.js";

/** `sextant catalog update`: models and prices newer than those of the package. */
export const catalogCommand = group("catalog", "update models and prices", {
  commands: [
    command("update", {
      about: "store a newer catalog of models and prices in the data folder",
      operands: [
        {
          name: "<source>",
          about: "the file `catalog/models.json` of a newer version: its path, or an https address",
        },
      ],
      options: {},
      help: `
Servers and commands use it from their next start, a running server after a reload (SIGHUP, POST /admin/reload), until the package has a
newer one. It is checked first; the one before is kept as catalog.previous.json. No address publishes the file yet.`,
      examples: [
        "sextant catalog update ../sextant/catalog/models.json",
        "sextant catalog update https://files.example.com/models.json",
      ],
      run: (_options, context, source) => updateCatalog(source, context),
    }),
  ],
});

async function updateCatalog(source: string, context: CliContext): Promise<void> {
  const { dataDir } = loadSettings(context.environment, context);
  const shipped = shippedCatalogFile();
  const text = await textAt(source, context);
  const { as_of: day, models } = checkedCatalog(text, source);
  if (day < shipped.as_of) {
    throw new CommandFailure(
      `${source} has the models of ${day}; the package has newer ones, of ${shipped.as_of}.`,
    );
  }
  const path = await storeCatalog(dataDir, text);
  const added = Object.keys(models).filter((id) => !Object.hasOwn(shipped.models, id));
  await writeLine(
    context.stdout,
    `${path} has the models and prices of ${day}. New to the package: ${shortened(added.join(", ") || "none", 400)}.\n` +
      "A running server uses them after a reload: SIGHUP, or POST /admin/reload.",
  );
}

async function textAt(source: string, { workingDirectory, fetch, signal }: CliContext): Promise<string> {
  const fail = (fault: Error): never => {
    throw new CommandFailure(`${source} cannot be read: ${fault.message}`);
  };
  if (/^http:/i.test(source)) fail(new Error("it could be changed on its way. Use https."));
  if (!/^https:/i.test(source)) return readFile(resolve(workingDirectory, source), "utf8").catch(fail);
  const reply = await fetch(source, { signal }).catch(fail);
  return reply.ok ? reply.text() : fail(new Error(`it answered ${reply.status} ${reply.statusText}.`));
}
