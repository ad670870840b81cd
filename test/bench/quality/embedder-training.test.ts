import { describe, expect, it } from "vitest";
import { readEmbedderTraining, sawTestPrompts } from "../../../bench/quality/embedder-training.js";
import { embedderNotes } from "../../../bench/quality/summary/notes.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

describe("The record of an embedder's training data", () => {
  it("of the shipped embedder lists every prompt of some sets and none of the sample", async () => {
    const shipped = await readEmbedderTraining("models/sextant-static-v1");
    expect(sawTestPrompts(shipped, { set: "mmlu_pro", seed: 0 })).toBe("yes");
    expect(sawTestPrompts(shipped, { set: "sample", seed: 0 })).toBe("no");
    expect(sawTestPrompts(shipped, { set: "routerbench_subset", seed: 0 })).toBe("no");
  });

  it("is unknown for a folder without one and for the name of a hub model", async () => {
    const folder = await folderWith({ "config.json": "{}" });
    expect(await readEmbedderTraining(folder)).toBeNull();
    expect(await readEmbedderTraining("Someone/some-model")).toBeNull();
    expect(sawTestPrompts(null, { set: "x", seed: 0 })).toBe("unknown");
  });

  it("excludes test prompts only in the split that the embedder was trained for", () => {
    const heldOut = { part: "train", split_seed: 1, sets: ["a"] } as const;
    const saw = (set: string, seed: number) => sawTestPrompts(heldOut, { set, seed });
    expect([saw("a", 1), saw("a", 0), saw("b", 0)]).toEqual(["no", "yes", "no"]);
    expect(sawTestPrompts({ part: "all" }, { set: "any", seed: 0 })).toBe("yes");
    expect(sawTestPrompts({ part: "none" }, { set: "any", seed: 0 })).toBe("no");
  });
});

describe("Figures of an embedder that was trained on the test prompts", () => {
  const seen = { set: "mmlu_pro", seed: 0, embedder: "static", fingerprint: "0123456789abcdef" };

  it("are marked first", () => {
    const [first] = embedderNotes([{ ...seen, test: "yes" }]);
    expect(first).toMatch(
      /^NOT FOR REPORTING: the embedder was trained on test prompts of mmlu_pro, split 0/,
    );
    expect(embedderNotes([{ ...seen, test: "unknown" }])[0]).toMatch(/^NOT FOR REPORTING unless/);
  });
});
