import { join } from "node:path";
import { type SharedText, textInFile } from "../foundation/shared-text.js";
import type { Settings } from "../gateway/settings/settings.js";

interface SharedTextPlace {
  /** In the data folder. */
  readonly file: string;
  /** In Redis, when the settings name one. */
  readonly key: string;
  readonly keptMs?: number;
}

/** The client of Redis is loaded only when there is one: a start without need not wait for it. */
export async function openSharedText(
  { dataDir, redisUrl }: Pick<Settings, "dataDir" | "redisUrl">,
  { file, ...place }: SharedTextPlace,
): Promise<SharedText> {
  if (redisUrl === undefined) return textInFile(join(dataDir, file));
  const { textInRedis } = await import("../foundation/redis-text.js");
  return textInRedis(redisUrl, place);
}
