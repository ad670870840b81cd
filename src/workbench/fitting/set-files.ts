import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ANCHORS_FILE,
  buildIvfLists,
  checkProfile,
  encodeIvfLists,
  encodeManifest,
  encodeModelProfile,
  FACTS_FILE,
  IVF_FILE,
  MANIFEST_FILE,
  modelFile,
  shapeOf,
} from "../../engine/index.js";
import type { AnchorFacts } from "../../engine/profiles/assemble.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { StoredIndex } from "../../engine/search/open-index.js";
import { encodeSections } from "../../foundation/section-file.js";

/** The files of a set as they are written, with the checksums the manifest lists. */
export class SetFiles {
  readonly entries: Manifest["files"] = [];
  constructor(readonly folder: string) {}

  async write(path: string, bytes: Uint8Array): Promise<void> {
    await writeFile(join(this.folder, path), bytes);
    this.entries.push({
      path,
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
  }

  /** The anchors, and what is known of them. */
  async writeAnchors({ codes, scales }: AnchorVectors, facts: AnchorFacts): Promise<void> {
    await this.write(ANCHORS_FILE, encodeSections({ facts: {}, sections: { codes, scales } }));
    await this.write(FACTS_FILE, encodeSections({ facts: {}, sections: { ...facts } }));
  }

  /** Of the anchors, which profiles refer to. */
  get anchorsSha256(): string {
    return this.entries.find(({ path }) => path === ANCHORS_FILE)?.sha256 ?? "";
  }

  /** Names the files written so far as those of the set. */
  async writeManifest(manifest: Omit<Manifest, "files">): Promise<Manifest> {
    const whole = { ...manifest, files: this.entries };
    await writeFile(join(this.folder, MANIFEST_FILE), encodeManifest(whole));
    return whole;
  }
}

/** The content of a profile's file. @throws ProfileFault for a profile that the loader would refuse */
export function encodeChecked(
  profile: ModelProfile,
  manifest: Pick<Manifest, "anchors" | "topics">,
): Uint8Array {
  checkProfile(profile, shapeOf(manifest), modelFile(profile.facts.model));
  return encodeModelProfile(profile);
}

/** An index of the vectors as it is stored: exact, or IVF lists. */
export async function storedIndex(
  vectors: AnchorVectors,
  kind: "exact" | "ivf",
  onProgress: (done: number, total: number) => void,
): Promise<StoredIndex & { readonly kind: "exact" | "ivf" }> {
  if (kind === "exact") return { kind };
  const lists = await buildIvfLists(vectors, { onProgress });
  return { kind, lists: { bytes: encodeIvfLists(lists), name: IVF_FILE } };
}
