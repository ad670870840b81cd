import { flag, JSON_OPTION, type OptionsOf, option } from "../command.js";
import { path, SERVER_OPTION } from "../options.js";
import { FILTER_OPTIONS, SINCE_OPTION } from "../traces/options.js";
import { number, profileSubcommand } from "./explained.js";

const OPTIONS = {
  outcomes: option(
    "<folder>",
    "folder to write prompts and outcomes to, or one of an earlier run",
    path,
  ).required(),
  update: option("<folder>", "profile set to learn from them; it is left as it is", path),
  out: option("<folder>", "folder of the set that has learned", path),
  name: option("<name>", "name of that set; default: that of the folder"),
  force: flag("replace the set in --out"),
  embedder: option("<model>", "embedder of the set, a folder or hub id; default: SEXTANT_EMBEDDER"),
  judge: option("<model>", "model that grades every answer, instead of feedback"),
  rubric: option("<file>", "what makes an answer good, as text, for the judge", path),
  sample: option(
    "<number>",
    "judge only that many answers, chosen at random and the same in every run",
    number,
  ),
  maxUsd: option("<dollars>", "most that judging may cost, earlier runs included", number),
  seed: option("<number>", "seed of clustering", number).default(0),
  builtAt: option("<date>", "date the set says of itself; default: now"),
  ...SINCE_OPTION,
  ...FILTER_OPTIONS,
  ...SERVER_OPTION,
  ...JSON_OPTION,
};

export type FromTracesCommandOptions = OptionsOf<typeof OPTIONS>;

/** `sextant profile from-traces`: outcomes from finished requests, and a set that has learned from them. */
export const fromTracesCommand = profileSubcommand("from-traces", {
  about:
    "turn finished requests with feedback, or a judge's grade, into outcomes, and let a set learn from them",
  options: OPTIONS,
  help: `
Reads finished requests from the store, or from a running server (--url). The texts of their prompts are written to --outcomes; the
set holds none. A run that was stopped goes on when the same command is run again: no verdict of a judge is paid twice.
See docs/learning.md.`,
  examples: [
    "sextant profile from-traces --since 30d --outcomes traffic --update profiles/default --out profiles/learned",
    "sextant profile from-traces --since 7d --outcomes judged --judge gpt-5.4-mini --sample 2000 --max-usd 5",
  ],
  async run(options, context) {
    // Loaded when it runs: the other commands of profiles need no providers and no store.
    const { runFromTraces } = await import("./from-traces.js");
    await runFromTraces(options, context);
  },
});
