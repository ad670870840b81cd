/** The fenced blocks of the documentation, for the tests that run them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Folders with pages of ours at any depth. */
const FOLDERS = ["bench", "datasets", "docs", "models", "profiles", "proofs", "training"];

/** Paths of all Markdown pages and of `llms.txt`, from the root of the repository. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md") || name === "llms.txt"),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !/(^|\/)(node_modules|downloads|\.\w+)\//.test(name))
      .map((name) => `${folder}/${name}`),
  ),
].sort();

export const readPage = (page: string): string => readFileSync(join(ROOT, page), "utf8");

export interface Example {
  readonly page: string;
  /** The heading that it stands under. */
  readonly heading: string;
  /** Page, heading, language, and its number among those of that language there: the same while the page grows elsewhere. */
  readonly name: string;
  /** The word after the fence; empty without one. */
  readonly language: string;
  readonly code: string;
}

/** The blocks of one page, in order. */
function examplesOf(page: string, text: string): Example[] {
  const found: Example[] = [];
  let heading = "";
  for (const [, title, language = "", code] of text.matchAll(
    /^#+ (.+)$|^ *```([^\n`]*)\n([\s\S]*?)^ *```$/gm,
  )) {
    if (title !== undefined) {
      heading = title;
      continue;
    }
    const before = found.filter((other) => other.heading === heading && other.language === language);
    const name = `${page}, ${heading}, ${language} ${before.length + 1}`;
    found.push({ page, heading, name, language, code: code ?? "" });
  }
  return found;
}

const ALL: readonly Example[] = PAGES.flatMap((page) => examplesOf(page, readPage(page)));

/** The blocks of these languages in all pages; without a language, all blocks. */
export const examplesIn = (...languages: readonly string[]): Example[] =>
  ALL.filter(({ language }) => languages.length === 0 || languages.includes(language));
