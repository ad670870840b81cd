/** Contact sheets: many pictures on one, so that all of them can be looked at. */
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser } from "playwright-core";

/** CSS pixels of a sheet, which viewers show without making it smaller. */
const WIDTH = 1560;
const HEIGHT = 1500;
/** Of a page that is longer, only its first slices are shown. */
const MOST_SLICES = 3;
const CAPTION = 22;

interface SheetOptions {
  /** PNG files of pages that are equally wide. */
  readonly files: readonly string[];
  /** Beside each other. */
  readonly columns: number;
  readonly folder: string;
  /** Begins the names of the sheets. */
  readonly name: string;
}

/** Pages that are longer than a sheet are cut into slices beside each other. */
export async function makeSheets(
  browser: Browser,
  { files, columns, folder, name }: SheetOptions,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
  const tiles = files.flatMap((file) => tilesOf(file, Math.floor(WIDTH / columns) - 6));
  let sheet: Tile[][] = [];
  let number = 0;
  const heightOf = (row: readonly Tile[]): number => Math.max(...row.map(({ height }) => height)) + CAPTION;
  const write = async (): Promise<void> => {
    if (sheet.length === 0) return;
    await page.setContent(
      sheet.map((row) => `<div class="row">${row.map(({ html }) => html).join("")}</div>`).join("") + STYLE,
    );
    number += 1;
    const path = join(folder, `${name}-${String(number).padStart(2, "0")}.png`);
    await page.screenshot({ path, fullPage: true });
    sheet = [];
  };
  for (let at = 0; at < tiles.length; at += columns) {
    const row = tiles.slice(at, at + columns);
    const height = sheet.reduce((sum, other) => sum + heightOf(other), 0) + heightOf(row);
    if (height > HEIGHT) await write();
    sheet.push(row);
  }
  await write();
  await page.close();
}

interface Tile {
  readonly height: number;
  readonly html: string;
}

const STYLE = `<style>
  body { margin: 0; background: #888; font: 13px sans-serif; }
  .row { display: flex; align-items: start; gap: 6px; }
  figure { margin: 0; background-repeat: no-repeat; }
</style>`;

/** Bytes of a PNG file where its width and its height are. */
const PNG_WIDTH = 16;
const PNG_HEIGHT = 20;

function tilesOf(file: string, width: number): readonly Tile[] {
  const png = readFileSync(file);
  const height = (png.readUInt32BE(PNG_HEIGHT) * width) / png.readUInt32BE(PNG_WIDTH);
  const most = HEIGHT - CAPTION;
  const slices = Math.min(MOST_SLICES, Math.ceil(height / most));
  const source = `data:image/png;base64,${png.toString("base64")}`;
  return Array.from({ length: slices }, (_, at) => {
    const shown = Math.min(most, height - at * most);
    const look = `width:${width}px;height:${shown}px;background:url(${source}) 0 ${-at * most}px / ${width}px auto`;
    return {
      height: shown,
      html: `<div>${basename(file, ".png")} ${at > 0 ? at + 1 : ""}<figure style="${look}"></figure></div>`,
    };
  });
}
