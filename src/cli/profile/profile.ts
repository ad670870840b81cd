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
  about: "remove a model from a profile set",
  operands: [{ name: "<name>", about: "id of the model" }],
  options: {
    set: option("<folder>", "profile set to remove it from", path).required(),
    out: option("<folder>", "folder for the set without it; --set is then not changed", path),
    force: flag("also drop a model that the set was built with; not needed with --out"),
  },
  async run({ set, out, force }, context, name) {
    if (out !== undefined) {
      await copyWithoutModel(set, name, out);
      return writeLine(context.stdout, `Wrote the set without ${name} to ${out}`);
    }
    const dropped = await dropModel(set, name, { builtIn: force ? "drop" : "keep" });
    await writeLine(context.stdout, `Dropped ${name}: removed ${dropped}`);
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
