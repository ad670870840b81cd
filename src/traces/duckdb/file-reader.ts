import type { Connection } from "./database.js";
import type { MetadataSlots } from "./metadata-slots.js";
import type { Names } from "./names.js";

/** What it takes to ask a file something, and to understand what it answers. */
export interface FileReader {
  readonly connection: Connection;
  readonly names: Pick<Names, "namesOf" | "numberOf">;
  readonly slots: Pick<MetadataSlots, "slotOf">;
}
