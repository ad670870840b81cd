import { openEventLog, openPauses } from "../compose/operators.js";
import type { NewEvent } from "../gateway/audit/event.js";
import type { EventLog } from "../gateway/audit/event-log.js";
import { COMMAND_LINE, loadSettings } from "../gateway/index.js";
import type { PauseList } from "../gateway/pauses/pause-list.js";
import type { Settings } from "../gateway/settings/settings.js";
import { type CliContext, writeLine } from "./context.js";

/** Keeps what the command did, for `GET /admin/events`. One that cannot be kept is a line on standard error. */
export async function recordAct(act: Omit<NewEvent, "actor">, context: CliContext): Promise<void> {
  const settings = loadSettings(context.environment, context);
  const events = await openEventsOf(settings, context);
  await events.record({ ...act, actor: COMMAND_LINE });
  await events.close();
}

function openEventsOf(settings: Settings, { stderr }: CliContext): Promise<EventLog> {
  const warn = (details: object, message: string): void =>
    void writeLine(stderr, `sextant: ${message}: ${JSON.stringify(details)}`);
  return openEventLog(settings, { log: { warn, info: () => {} } });
}

/** Does something with the pauses of the settings, as they are now. @throws what cannot be read */
export async function withPauses<Result>(
  settings: Settings,
  work: (pauses: PauseList) => Promise<Result>,
  { now }: Pick<CliContext, "now">,
): Promise<Result> {
  const pauses = await openPauses(settings, { now });
  try {
    await pauses.refresh();
    return await work(pauses);
  } finally {
    await pauses.close();
  }
}
