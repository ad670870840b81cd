/**
 * Assembles src/profiles/index/dot.wat and writes its bytes to dot-wasm.ts beside it, so that running the engine needs
 * no assembler. Run `npx tsx scripts/assemble-wasm.ts` after a change of the .wat; a test compares the two.
 */
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import openAssembler from "wabt";

const SOURCE = new URL("../src/profiles/index/dot.wat", import.meta.url);
const TARGET = new URL("../src/profiles/index/dot-wasm.ts", import.meta.url);

/** Bytes of the module in dot.wat. Throws with line and column when the text is wrong. */
export async function assembleDotModule(): Promise<Uint8Array> {
  const assembler = await openAssembler();
  const features = { simd: true };
  const module = assembler.parseWat("dot.wat", await readFile(SOURCE, "utf8"), features);
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

async function writeDotModule(): Promise<void> {
  const base64 = Buffer.from(await assembleDotModule()).toString("base64");
  const lines = base64.match(/.{1,100}/g) ?? [];
  const text = lines.map((line) => `  "${line}"`).join(" +\n");
  await writeFile(
    TARGET,
    `/** dot.wat, assembled by scripts/assemble-wasm.ts. Do not edit. */\nconst BASE64 =\n${text};\n\n` +
      "let bytes: Uint8Array | undefined;\n\n/** The module of dot.wat. */\n" +
      'export function dotModuleBytes(): Uint8Array {\n  bytes ??= Buffer.from(BASE64, "base64");\n  return bytes;\n}\n',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await writeDotModule();
