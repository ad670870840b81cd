import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Weights } from "./embedding-api.js";

const SUFFIX: Readonly<Record<Weights, string>> = {
  fp32: "",
  fp16: "_fp16",
  q8: "_quantized",
  int8: "_int8",
  uint8: "_uint8",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
};

/**
 * SHA-256, hex, over the files that decide a vector, as they lie in a folder of the Hugging Face layout: `config.json`,
 * `tokenizer.json`, `tokenizer_config.json`, the ONNX file of these weights and its external data; then how rows become a
 * vector. Each part is preceded by the line `<name> <length in bytes>\n`; a file that is not there is left out. The cache
 * of the hub has the same layout, so a hub id and a copy of it in a folder have one fingerprint.
 */
export async function fingerprintOfFiles(folder: string, weights: Weights): Promise<string> {
  const model = `onnx/model${SUFFIX[weights]}.onnx`;
  const hash = createHash("sha256");
  for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json", model, `${model}_data`]) {
    const path = join(folder, name);
    const length = await sizeOf(path);
    if (length === undefined) continue;
    hash.update(`${name} ${length}\n`);
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  }
  const pooling = "mean, unit length";
  return hash.update(`pooling ${pooling.length}\n${pooling}`).digest("hex");
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}
