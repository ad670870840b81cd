/**
 * Fetches public outcome sets and writes them in the canonical layout. For maintainers and for whoever measures with the
 * repository: `npm run datasets -- list`, `npm run datasets -- fetch NAME --out DIR [--mirror DIR]`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FetchError } from "./fetch-file.js";
import { importSet } from "./import-set.js";
import { ImportError } from "./imported-row.js";
import { IMPORTERS } from "./importers.js";
import { KnownChecksums } from "./known-checksums.js";
import { type RegisteredSet, readRegistry } from "./registry.js";
import { publishedScores } from "./scores/published-scores.js";
import { trafficSample } from "./traffic-sample.js";

const USAGE = `npm run datasets -- list
npm run datasets -- fetch NAME --out DIR [--mirror DIR] [--cache DIR]
npm run datasets -- scores --from DIR --out FILE
npm run datasets -- traffic --from DIR --out FILE

  --from DIR     folder with the tables of published scores, or with the prompts that have difficulty labels
  --out DIR      folder that gets the set: prompts.jsonl.gz, outcomes.jsonl.gz, source.json
  --mirror DIR   take the files from here: as published, or an unpacked copy; nothing is downloaded
  --cache DIR    where downloads are kept (default datasets/downloads, which git ignores)`;

const HERE = new URL(".", import.meta.url);

async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      out: { type: "string" },
      from: { type: "string" },
      mirror: { type: "string" },
      cache: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const [command, name] = positionals;
  const sets = await readRegistry(new URL("registry.json", HERE));
  if (values.help === true || command === undefined) console.log(USAGE);
  else if (command === "list") list(sets);
  else if (command === "fetch" && name !== undefined && values.out !== undefined) {
    await fetchSet(findSet(sets, name), { ...values, out: values.out });
  } else if (command === "scores" && values.from !== undefined && values.out !== undefined) {
    const lines = await publishedScores(values.from);
    await writeFile(values.out, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    console.log(
      `${lines.length} scores of ${new Set(lines.map(({ model }) => model)).size} models in ${values.out}`,
    );
  } else if (command === "traffic" && values.from !== undefined && values.out !== undefined) {
    const prompts = await trafficSample(values.from);
    await writeFile(values.out, prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join(""));
    console.log(`${prompts.length} prompts in ${values.out}`);
  } else throw new Error(`This is not a command of datasets.\n\n${USAGE}`);
}

function list(sets: readonly RegisteredSet[]): void {
  for (const { name, title, licence, url, files } of sets) {
    const how = files === undefined ? "no importer" : `${files.length} file${files.length === 1 ? "" : "s"}`;
    console.log(
      `${name.padEnd(22)} ${title.padEnd(34)} ${(licence ?? "no licence stated").padEnd(18)} ${how.padEnd(12)} ${url}`,
    );
  }
}

function findSet(sets: readonly RegisteredSet[], name: string): RegisteredSet {
  const set = sets.find((each) => each.name === name);
  const known = sets.filter(({ files }) => files !== undefined).map((each) => each.name);
  if (set === undefined || set.files === undefined || IMPORTERS[name] === undefined) {
    throw new Error(`There is no importer for "${name}"; known are ${known.join(", ")}.`);
  }
  return set;
}

interface FetchArguments {
  readonly out: string;
  readonly mirror?: string | undefined;
  readonly cache?: string | undefined;
}

async function fetchSet(set: RegisteredSet, { out, mirror, cache }: FetchArguments): Promise<void> {
  const importer = IMPORTERS[set.name];
  if (importer === undefined) throw new Error(`There is no importer for "${set.name}".`);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("stopped; nothing was written")));
  const show = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${text.padEnd(70)}`);
  };
  const written = await importSet(set, {
    out,
    importer,
    fetch,
    mirror: mirror ?? null,
    signal: stop.signal,
    cache: cache ?? join("datasets", "downloads"),
    checksums: await KnownChecksums.open(join("datasets", "checksums.json")),
    onNote: (note) => console.error(note),
    onBytes: (name, done, total) =>
      show(
        `${name}: ${(done / 1e6).toFixed(1)} MB${total === null ? "" : ` of ${(total / 1e6).toFixed(1)}`}`,
      ),
    onRows: (rows) => show(`${rows} answers`),
  });
  show("");
  console.log(
    `${set.title}: ${written.prompts} prompts, ${written.models} models, ${written.outcomes} answers in ${out}` +
      (written.leftOut === 0 ? "" : `; ${written.leftOut} rows without a text were left out`),
  );
}

main(process.argv.slice(2)).catch((fault: unknown) => {
  const expected = fault instanceof ImportError || fault instanceof FetchError || fault instanceof Error;
  console.error(expected ? fault.message : fault);
  process.exitCode = 1;
});
