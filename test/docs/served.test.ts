/** The documentation as the console serves it, in `dist`: build first. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./examples.js";

const FOLDER = join(ROOT, "dist/console/docs");
const pages = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".html"),
);
const textOf = (page: string) => readFileSync(join(FOLDER, page), "utf8");

/** Whether an address of the documentation leads to a page, and there to a heading. */
function exists(address: string): boolean {
  const [path = "", anchor] = address.replace("/console/docs/", "").split("#");
  return existsSync(join(FOLDER, path)) && (anchor === undefined || textOf(path).includes(`id="${anchor}"`));
}

it("Every page of docs is served, its links lead to pages and headings, and nothing comes from elsewhere", () => {
  const sources = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  expect(pages).toHaveLength(sources.filter((path) => path.endsWith(".md")).length);
  for (const page of pages) {
    const targets = [...textOf(page).matchAll(/(href|src)="([^"]*)"/g)].map(([, kind = "", to = ""]) => ({
      kind,
      to,
    }));
    const broken = targets.filter(({ kind, to }) => {
      if (to.startsWith("#")) return !textOf(page).includes(`id="${to.slice(1)}"`);
      if (to.startsWith("/console/docs/")) return !exists(to);
      return to.startsWith("/console") ? false : kind === "src" || !/^(https?|mailto):/.test(to);
    });
    expect(broken, page).toEqual([]);
  }
  const navigation = readFileSync(join(ROOT, "src/console/layout/pages.ts"), "utf8");
  const linked = [...navigation.matchAll(/docs: "([^"]+)"/g)].map(([, page = ""]) => page);
  expect(linked.length).toBeGreaterThan(5);
  expect(linked.filter((page) => !exists(page.replace(/#|$/, ".html$&")))).toEqual([]);
});
