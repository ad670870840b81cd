import { withKeys } from "../compose/keys.js";
import { openCatalog, resolveProviders } from "../engine/index.js";
import { checkedPause, loadSettings, PAUSE_KINDS, pauseStart } from "../gateway/index.js";
import type { Pause, PauseKind } from "../gateway/run/pause.js";
import { command, group, JSON_OPTION, option, writeResult } from "./command.js";
import type { CliContext } from "./context.js";
import { expiry, orWord } from "./keys/key-options.js";
import { recordAct, withPauses } from "./operators.js";
import { tableFor } from "./table.js";

const listCommand = command("list", {
  about: "list active pauses, newest first",
  options: JSON_OPTION,
  async run({ json }, context) {
    const settings = loadSettings(context.environment, context);
    const pauses = await withPauses(settings, async (all) => all.list(), context);
    await writeResult(pauses, () => pausesTable(pauses, context), { json, context });
  },
});

function pausesTable(pauses: readonly Pause[], { stdout }: CliContext): string {
  const rows = pauses.map((pause) => [
    pause.id,
    `${pause.kind} ${pause.target}`,
    pause.redirect_to ?? "–",
    endText(pause),
    pause.created_by,
    pause.reason,
  ]);
  return tableFor(stdout, { head: ["id", "paused", "redirected to", "ends", "by", "reason"], rows });
}

const endText = ({ ends_at: end }: Pause): string =>
  end?.slice(0, 16).replace("T", " ") ?? "it is ended by hand";

const addCommand = command("add", {
  about: "take a model, a provider or a key out of use for a while, at once",
  operands: [
    { name: "<kind>", about: "what is paused", choices: PAUSE_KINDS },
    { name: "<target>", about: "name of the model, or `provider/model`; id of the provider; id of the key" },
  ],
  options: {
    reason: option("<text>", "why, for other operators; callers do not see it").required(),
    redirectTo: option(
      "<model>",
      "model that answers instead; default: requests for a paused one are refused",
    ),
    for: option(
      "<time>",
      "a time such as 30m or 2h, a date, or `ever`: until it is ended; default: 1h",
      orWord("ever", expiry),
    ),
    ...JSON_OPTION,
  },
  examples: [
    'sextant pauses add model gpt-5.5 --redirect-to gpt-5.4-mini --reason "vendor outage" --for 2h',
    'sextant pauses add provider openai --reason "status page says down"',
    'sextant pauses add key key_01J8ZV --reason "loop in the nightly job" --for ever',
  ],
  async run({ reason, redirectTo, json, for: until }, context, given, target) {
    const kind = given as PauseKind;
    const settings = loadSettings(context.environment, context);
    const providers = resolveProviders(settings, context.environment);
    const { now } = context;
    const catalog = openCatalog(settings, { at: new Date(now()), providers });
    const end = typeof until === "number" ? new Date(until).toISOString() : until && null;
    const asked = { kind, target, redirect_to: redirectTo, reason, ends_at: end, by: "command_line" };
    const pause = await withPauses(
      settings,
      (pauses) =>
        withKeys(settings, (keys) => pauses.add(checkedPause(asked, { catalog, keys, pauses, now }))),
      context,
    );
    const details = pauseStart(pause);
    await recordAct({ kind: "pause.started", target: targetOf(pause), details }, context);
    const text = () => `Paused ${kind} ${pause.target} (${pause.id}), until ${endText(pause)}.`;
    await writeResult(pause, text, { json, context });
  },
});

const endCommand = command("end", {
  about: "end a pause early",
  operands: [{ name: "<id>", about: "id of the pause: `sextant pauses list`" }],
  options: JSON_OPTION,
  async run({ json }, context, id) {
    const settings = loadSettings(context.environment, context);
    const pause = await withPauses(settings, (pauses) => pauses.end(id), context);
    await recordAct({ kind: "pause.ended", target: targetOf(pause), details: { pause: id } }, context);
    const text = () => `Ended ${pause.id}: ${pause.kind} ${pause.target} is in use again.`;
    await writeResult(pause, text, { json, context });
  },
});

const targetOf = ({ kind, target }: Pause) => ({ type: kind, id: target, name: null });

/** `sextant pauses`: running servers follow within half a second. */
export const pausesCommand = group(
  "pauses",
  "pause and redirect models, pause providers and keys; a running server follows on its own",
  { commands: [listCommand, addCommand, endCommand] },
);
