import { Argument, Command, Option } from "commander";
import { openKeyRing } from "../compose/keys.js";
import { openCatalog, resolveProviders } from "../engine/index.js";
import { checkedPause, loadSettings, PAUSE_KINDS, pauseStart } from "../gateway/index.js";
import type { Pause, PauseKind } from "../gateway/pauses/pause.js";
import { type CliContext, writeLine } from "./context.js";
import { jsonOption, orWord, parseExpiry } from "./keys/key-options.js";
import { recordAct, withPauses } from "./operators.js";
import { tableFor } from "./table.js";

interface JsonOption {
  readonly json?: true;
}

/** `sextant pauses list|add|end`: where the pauses stand; running servers follow within half a second. */
export function pausesCommand(context: CliContext): Command {
  return new Command("pauses")
    .description("pause and redirect models, pause providers and keys; a running server follows by itself")
    .addCommand(listCommand(context))
    .addCommand(addCommand(context))
    .addCommand(endCommand(context));
}

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("list the pauses in force, the newest first")
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const settings = loadSettings(context.environment, context);
      const pauses = await withPauses(settings, async (all) => all.list(), context);
      await writeLine(context.stdout, json ? JSON.stringify(pauses, null, 2) : pausesTable(pauses, context));
    });
}

function pausesTable(pauses: readonly Pause[], { stdout }: CliContext): string {
  const head = ["id", "paused", "redirected to", "ends", "by", "reason"];
  const rows = pauses.map((pause) => [
    pause.id,
    `${pause.kind} ${pause.target}`,
    pause.redirect_to ?? "–",
    endText(pause),
    pause.created_by,
    pause.reason,
  ]);
  return tableFor(stdout, { head, rows });
}

const endText = ({ ends_at: end }: Pause): string => end?.slice(0, 16).replace("T", " ") ?? "it is ended";

interface AddOptions extends JsonOption {
  readonly reason: string;
  readonly redirectTo?: string;
  /** Milliseconds since the epoch. */
  readonly for?: number | "ever";
}

/** `sextant pauses add`: what `POST /admin/pauses` does. */
function addCommand(context: CliContext): Command {
  return new Command("add")
    .description("take a model, a provider or a key out of use for a while, at once")
    .addArgument(new Argument("<kind>", "what is paused").choices(PAUSE_KINDS))
    .argument("<target>", "name of the model, or `provider/model`; id of the provider; id of the key")
    .requiredOption("--reason <text>", "why, for other operators; callers do not see it")
    .option(
      "--redirect-to <model>",
      "model that answers instead; default: requests for a paused one are refused",
    )
    .addOption(
      new Option(
        "--for <time>",
        "a time such as 30m or 2h, a date, or `ever`: until it is ended; default: 1h",
      ).argParser(orWord("ever", (text) => parseExpiry(text, context.now()))),
    )
    .addOption(jsonOption())
    .action(async (kind: PauseKind, target: string, { reason, redirectTo, json, ...options }: AddOptions) => {
      const settings = loadSettings(context.environment, context);
      const providers = resolveProviders(settings, context.environment);
      const { now } = context;
      const catalog = openCatalog(settings, { at: new Date(now()), providers });
      const keys = await openKeyRing(settings);
      const endsAtMs = options.for === "ever" ? null : options.for;
      const asked = { kind, target, redirectTo: redirectTo ?? null, reason, endsAtMs, by: "command_line" };
      const pause = await withPauses(
        settings,
        (pauses) => pauses.add(checkedPause(asked, { catalog, keys, pauses, now })),
        context,
      );
      await recordAct(
        { kind: "pause.started", target: targetOf(pause), details: pauseStart(pause) },
        context,
      );
      const text = `Paused ${kind} ${pause.target} (${pause.id}), until ${endText(pause)}.`;
      await writeLine(context.stdout, json ? JSON.stringify(pause, null, 2) : text);
    })
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant pauses add model gpt-5.5 --redirect-to gpt-5.4-mini --reason "vendor outage" --for 2h\n' +
        '  $ sextant pauses add provider openai --reason "status page says down"\n' +
        '  $ sextant pauses add key key_01J8ZV --reason "loop in the nightly job" --for ever',
    );
}

function endCommand(context: CliContext): Command {
  return new Command("end")
    .description("end a pause before its time")
    .argument("<id>", "id of the pause: `sextant pauses list`")
    .addOption(jsonOption())
    .action(async (id: string, { json }: JsonOption) => {
      const settings = loadSettings(context.environment, context);
      const pause = await withPauses(settings, (pauses) => pauses.end(id), context);
      await recordAct({ kind: "pause.ended", target: targetOf(pause), details: { pause: id } }, context);
      const text = `Ended ${pause.id}: ${pause.kind} ${pause.target} is in use again.`;
      await writeLine(context.stdout, json ? JSON.stringify(pause, null, 2) : text);
    });
}

const targetOf = ({ kind, target }: Pause) => ({ type: kind, id: target, name: null });
