import { reportSet } from "../../workbench.js";
import { option } from "../command.js";
import { CommandFailure, writeLine } from "../context.js";
import { path } from "../options.js";
import { number, profileSubcommand } from "./explained.js";
import { HELD_OUT_OPTIONS, replaceTextFile, writeLeftOut } from "./graded-options.js";
import { showProgress } from "./progress.js";

/** `sextant profile report`: what a set knows, and how good its decisions are, as a page to look at. */
export const reportCommand = profileSubcommand("report", {
  about: "write a page about a set: map, strengths, held-out quality, where labels would help",
  options: {
    set: option("<folder>", "profile set", path).required(),
    out: option("<file>", "page to write: .html", path).required(),
    prompts: option(
      "<path>",
      "prompts that the set was not built with, in the formats of build; may be repeated",
      path,
    ).repeated(),
    outcomes: option(
      "<path>",
      "graded answers to them, in the formats of build; may be repeated",
      path,
    ).repeated(),
    embedder: option("<model>", "embedder of --prompts, a folder or hub id; default: SEXTANT_EMBEDDER"),
    costWeight: option("<weight>", "cost weight of the decisions, 0 to 1", number).default(0),
    ...HELD_OUT_OPTIONS,
    seed: option("<number>", "seed of the sample, the map and the bootstrap", number).default(0),
    maxPoints: option("<number>", "maximum number of anchors to draw on the map", number).default(3000),
  },
  help: "The page loads nothing from elsewhere and contains no text of a prompt.",
  examples: [
    "sextant profile report --set profiles/ours --out report.html",
    "sextant profile report --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --out report.html",
  ],
  async run({ set, out, prompts, outcomes, seed, maxPoints, ...options }, context) {
    if (!out.endsWith(".html"))
      throw new CommandFailure(`--out is ${out}; name a file that ends in .html`, 2);
    if ((prompts === undefined) !== (outcomes === undefined))
      throw new CommandFailure(
        "--prompts and --outcomes go together: prompts, and graded answers to them",
        2,
      );
    const progress = showProgress(context.stderr);
    try {
      const heldOut = prompts &&
        outcomes && {
          ...options,
          prompts,
          outcomes,
          signal: context.signal,
          onProgress: (done: number, total: number) => progress.update("decide", done, total),
        };
      const { html, evaluation } = await reportSet({ set, seed, maxPoints, heldOut }, context);
      progress.stop();
      if (evaluation !== null) await writeLeftOut(evaluation, context);
      await replaceTextFile(out, html, "--out");
      await writeLine(context.stdout, `Wrote ${out}`);
    } finally {
      progress.stop();
    }
  },
});
