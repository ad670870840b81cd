/** Links from page to page, and to files of the repository. Addresses elsewhere are not asked for. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { PAGES, ROOT, readPage } from "./examples.js";

const withoutBlocks = (page: string) => readPage(page).replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutBlocks(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function brokenLinks(page: string): string[] {
  const targets = [...withoutBlocks(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^(https?|mailto):/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).has(anchor);
  });
}

it.each(PAGES)("The links of %s lead to files and headings that exist", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});
