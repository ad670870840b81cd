/**
 * Assembles the .wat files and writes their bytes to a .ts beside each, so that running the engine needs no assembler.
 * Run `npx tsx scripts/assemble-wasm.ts` after a change of a .wat; a test compares the two.
 */
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openAssembler from "wabt";

interface Module {
  /** Path of the text without its ending. */
  readonly path: string;
  readonly name: string;
}

const DOT: Module = { path: "../src/engine/search/dot", name: "dot" };
const SCORE: Module = { path: "../src/engine/estimation/scoring/score", name: "score" };

export const assembleDotModule = () => assemble(DOT);
export const assembleScoreModule = () => assemble(SCORE);

/** Bytes of a module. Throws with line and column when the text is wrong. */
async function assemble({ path, name }: Module): Promise<Uint8Array> {
  const assembler = await openAssembler();
  const text = await readFile(new URL(`${path}.wat`, import.meta.url), "utf8");
  const module = assembler.parseWat(`${name}.wat`, text, { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

async function write(module: Module): Promise<void> {
  const base64 = Buffer.from(await assemble(module)).toString("base64");
  const lines = base64.match(/.{1,100}/g) ?? [];
  const text = lines.map((line) => `  "${line}"`).join(" +\n");
  await writeFile(
    new URL(`${module.path}-wasm.ts`, import.meta.url),
    `/** ${module.name}.wat, assembled by scripts/assemble-wasm.ts. Do not edit. */\nconst BASE64 =\n${text};\n\n` +
      `let bytes: Uint8Array | undefined;\n\n/** The module of ${module.name}.wat. */\n` +
      `export function ${module.name}ModuleBytes(): Uint8Array {\n  bytes ??= Buffer.from(BASE64, "base64");\n  return bytes;\n}\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const module of [DOT, SCORE]) await write(module);
}
