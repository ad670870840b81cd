import { describe, expect, it } from "vitest";
import {
  parseEmbedderTraining,
  readEmbedderTraining,
  sawTestPrompts,
} from "../../../bench/quality/embedder-training.js";
import { embedderNotes } from "../../../bench/quality/summary/notes.js";
import { folderWith } from "../../profiles/folder-for-test.js";

describe("what an embedder was trained on", () => {
  it("stands in its folder", async () => {
    const training = { split_seed: 2, part: "train", sets: ["mmlu_pro"] };
    const folder = await folderWith({ "config.json": JSON.stringify({ training }) });
    expect(await readEmbedderTraining(folder)).toEqual(training);
  });

  it("stands in the shipped one's: every prompt of some sets, none of our sample's", async () => {
    const shipped = await readEmbedderTraining("models/sextant-static-v1");
    expect(sawTestPrompts(shipped, { set: "mmlu_pro", seed: 0 })).toBe("yes");
    expect(sawTestPrompts(shipped, { set: "sample", seed: 0 })).toBe("no");
    expect(sawTestPrompts(shipped, { set: "routerbench_subset", seed: 0 })).toBe("no");
  });

  it("is not known of a folder that says nothing, and of a name on a hub", async () => {
    const folder = await folderWith({ "config.json": "{}" });
    expect(await readEmbedderTraining(folder)).toBeNull();
    expect(await readEmbedderTraining("Someone/some-model")).toBeNull();
    expect(sawTestPrompts(null, { set: "x", seed: 0 })).toBe("unknown");
  });

  it("keeps test prompts apart only in the split it was trained for", () => {
    const heldOut = { part: "train", split_seed: 1, sets: ["a"] } as const;
    const saw = (set: string, seed: number) => sawTestPrompts(heldOut, { set, seed });
    expect([saw("a", 1), saw("a", 0), saw("b", 0)]).toEqual(["no", "yes", "no"]);
    expect(sawTestPrompts({ part: "all" }, { set: "any", seed: 0 })).toBe("yes");
    expect(sawTestPrompts({ part: "none" }, { set: "any", seed: 0 })).toBe("no");
  });

  it("can be said on the command line", () => {
    expect(parseEmbedderTraining("train:3")).toEqual({ part: "train", split_seed: 3 });
    expect(parseEmbedderTraining("none")).toEqual({ part: "none" });
    expect(() => parseEmbedderTraining("train")).toThrow('"train"; say none, all, or train:SPLIT');
  });
});

describe("figures whose embedder knew the test prompts", () => {
  const seen = { set: "mmlu_pro", seed: 0, embedder: "static", fingerprint: "0123456789abcdef" };

  it("are marked before anything else is said", () => {
    const [first] = embedderNotes([{ ...seen, test: "yes" }]);
    expect(first).toMatch(
      /^NOT FOR REPORTING: the embedder was trained on test prompts of mmlu_pro, split 0/,
    );
    expect(embedderNotes([{ ...seen, test: "unknown" }])[0]).toMatch(/^NOT FOR REPORTING unless/);
  });

  it("are the only ones that are marked", () => {
    expect(embedderNotes([{ ...seen, test: "no" }])).toEqual(["Embedders: static (0123456789ab)."]);
  });
});
