import { AnchorsByPrompt, decodeRow } from "../../engine/index.js";
import type { PlaceableSet } from "./placeable-set.js";

/** Least similarity of two prompts with the same text: a stored vector is off by at most half a quantisation step per number. */
export const SAME_PROMPT = 0.99;

export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

interface KnownSet extends Pick<PlaceableSet, "facts" | "vectors"> {
  readonly manifest: Pick<PlaceableSet["manifest"], "sources">;
}

/** Finds the anchors that a prompt id may stand for: that of `source:id`, or one of each source that has the id. */
export function anchorCandidates({ manifest, facts }: Omit<KnownSet, "vectors">) {
  const anchors = new AnchorsByPrompt(facts.prompt_key);
  return (id: string): readonly { readonly anchor: number; readonly source: string | null }[] => {
    const whole = anchors.find(id);
    if (whole !== undefined) return [{ anchor: whole, source: null }];
    return manifest.sources.flatMap(({ name }) => {
      const anchor = anchors.find(`${name}:${id}`);
      return anchor === undefined ? [] : [{ anchor, source: name }];
    });
  };
}

/**
 * Prompts, by id, without those that are prompts of the set: that have the id of exactly one of its anchors, and its text, as their
 * embeddings show. Answers to these are answers to anchors, which say more than answers to prompts like them. Embeds those with such an id.
 */
export async function withoutPromptsOf(
  set: KnownSet,
  texts: ReadonlyMap<string, string>,
  embed: EmbedTexts,
): Promise<ReadonlyMap<string, string>> {
  const candidatesOf = anchorCandidates(set);
  const matches = [...texts].flatMap(([id, text]) => {
    const [match, ...more] = candidatesOf(id);
    return match === undefined || more.length > 0 ? [] : [{ id, text, anchor: match.anchor }];
  });
  if (matches.length === 0) return texts;
  const vectors = await embed(matches.map(({ text }) => text));
  const others = new Map(texts);
  matches.forEach(({ id, anchor }, row) => {
    const stored = decodeRow(set.vectors, anchor);
    if (dot(vectors[row] as Float32Array, stored) >= SAME_PROMPT) others.delete(id);
  });
  return others;
}

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, d) => sum + value * (b[d] as number), 0);
