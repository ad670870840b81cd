import { copyWithoutModel, dropModel } from "../../workbench/index.js";
import { flag, group, option } from "../command.js";
import { writeLine } from "../context.js";
import { path } from "../options.js";
import { addModelCommand } from "./add-model.js";
import { buildCommand } from "./build.js";
import { collectCommand } from "./collect.js";
import { compareCommand } from "./compare.js";
import { diffCommand } from "./diff.js";
import { evalCommand } from "./evaluate.js";
import { profileSubcommand } from "./explained.js";
import { fromTracesCommand } from "./from-traces.js";
import { inspectCommand } from "./inspect.js";
import { labelNextCommand } from "./label-next.js";
import { reportCommand } from "./report.js";
import { tuneCommand } from "./tune.js";
import { verifyCommand } from "./verify.js";

const dropModelCommand = profileSubcommand("drop-model", {
  about: "take a model out of a profile set: the reverse of add-model",
  operands: [{ name: "<name>", about: "id of the model" }],
  options: {
    set: option("<folder>", "profile set to take it out of", path).required(),
    out: option("<folder>", "write the set without it there, and leave --set as it is", path),
    force: flag("drop a model that the set was built with, too; not needed with --out"),
  },
  async run({ set, out, force }, context, name) {
    if (out !== undefined) {
      await copyWithoutModel(set, name, out);
      return writeLine(context.stdout, `Wrote the set without ${name} to ${out}`);
    }
    const dropped = await dropModel(set, name, { builtIn: force ? "drop" : "keep" });
    await writeLine(context.stdout, `Dropped ${name}: removed ${dropped.path}`);
  },
});

/** `sextant profile`: collects outcomes, makes profile sets from them, adds models to them, says what they hold, checks them. */
export const profileCommand = group(
  "profile",
  "collect outcomes; build, extend, inspect, verify, evaluate and compare profile sets",
  {
    commands: [
      collectCommand,
      buildCommand,
      fromTracesCommand,
      addModelCommand,
      dropModelCommand,
      labelNextCommand,
      inspectCommand,
      verifyCommand,
      evalCommand,
      compareCommand,
      tuneCommand,
      diffCommand,
      reportCommand,
    ],
  },
);
