import { eventsOf, pausesOf } from "../compose/operators.js";
import type { ApiKeyMetadata } from "../gateway/access/keys/api-key.js";
import type { NewEvent } from "../gateway/features/events/event.js";
import type { PauseList } from "../gateway/features/pauses/pause-list.js";
import { COMMAND_LINE, loadSettings, openStores } from "../gateway/index.js";
import type { Settings } from "../gateway/settings.js";
import type { Stores } from "../gateway/storage/open-stores.js";
import { type CliContext, writeLine } from "./context.js";

/** What an event about a key names it by. */
export const keyTarget = ({ id, name }: ApiKeyMetadata) => ({ type: "key" as const, id, name });

/** Keeps what the command did, for `GET /admin/events`. One that cannot be kept is a line on standard error. */
export async function recordAct(act: Omit<NewEvent, "actor">, context: CliContext): Promise<void> {
  const settings = loadSettings(context.environment, context);
  const warn = (details: object, message: string): void =>
    void writeLine(context.stderr, `sextant: ${message}: ${JSON.stringify(details)}`);
  await withStores(settings, (stores) =>
    eventsOf(stores, { log: { warn, info: () => {} } }).record({ ...act, actor: COMMAND_LINE }),
  );
}

/** Does something with the pauses of the settings, as they are now. @throws what cannot be read */
export const withPauses = <Result>(
  settings: Settings,
  work: (pauses: PauseList) => Promise<Result>,
  { now }: Pick<CliContext, "now">,
): Promise<Result> =>
  withStores(settings, async (stores) => {
    const pauses = pausesOf(stores, { now });
    await pauses.refresh();
    return work(pauses);
  });

async function withStores<Result>(
  settings: Settings,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const stores = await openStores(settings);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}
