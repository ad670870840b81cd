import { join } from "node:path";
import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import { SharedFile } from "../../../foundation/shared-file.js";

const viewSchema = z.object({
  name: z.string(),
  /** Below the console, with its query: what the page shows is in its address. */
  path: z.string(),
  savedBy: z.string(),
  savedAtMs: z.number(),
});

/** A page of the console as someone saved it under a name. */
type SavedView = z.infer<typeof viewSchema>;

const fileSchema = z.object({ version: z.literal(1), views: z.array(viewSchema) });

const MOST_VIEWS = 200;

/** `views.json` in the data folder: the views of all operators, by name. Shared by any number of processes on one machine. */
export class ViewFile {
  readonly #file: SharedFile;

  constructor(dataDir: string) {
    this.#file = new SharedFile(join(dataDir, "views.json"));
  }

  /** By name. A damaged file has none. @throws AccessFileError when the file cannot be read */
  async list(): Promise<readonly SavedView[]> {
    return viewsIn((await this.#file.read()).text);
  }

  /** In the place of one of the same name. @throws AccessFileError, SextantError `invalid_request` when there are too many */
  async save(view: SavedView): Promise<void> {
    await this.#file.update((text) => {
      const others = viewsIn(text).filter(({ name }) => name !== view.name);
      if (others.length >= MOST_VIEWS) {
        throw new SextantError("invalid_request", `There are ${MOST_VIEWS} saved views. Remove one first.`);
      }
      return written([...others, view].sort((left, right) => left.name.localeCompare(right.name)));
    });
  }

  /** @returns whether there was one of that name. @throws AccessFileError */
  async remove(name: string): Promise<boolean> {
    let isFound = false;
    await this.#file.update((text) => {
      const views = viewsIn(text);
      const others = views.filter((view) => view.name !== name);
      isFound = others.length < views.length;
      return isFound ? written(others) : undefined;
    });
    return isFound;
  }
}

const written = (views: readonly SavedView[]): string => `${JSON.stringify({ version: 1, views })}\n`;

function viewsIn(text: string | undefined): readonly SavedView[] {
  if (text === undefined) return [];
  try {
    return fileSchema.parse(JSON.parse(text)).views;
  } catch {
    return [];
  }
}
