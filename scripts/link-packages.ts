/**
 * Links the packages of test/packages into node_modules, where `src`, `dist` and the tests find them, and those that the
 * repository has itself the other way round, so that no class is there twice. Another major of one that it has itself is
 * linked as `NAME-MAJOR`. `npm ci` in the repository removes the links.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SECOND = join(ROOT, "test", "packages");

const { dependencies } = JSON.parse(readFileSync(join(SECOND, "package.json"), "utf8"));
for (const name of Object.keys(dependencies)) {
  const here = join(ROOT, "node_modules", name);
  const there = join(SECOND, "node_modules", name);
  const own = lstatSync(here, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const isOtherMajor = own && majorOf(here) !== majorOf(there);
  const [target, link] = isOtherMajor
    ? [there, `${here}-${majorOf(there)}`]
    : own
      ? [here, there]
      : [there, here];
  rmSync(link, { recursive: true, force: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link, "junction");
}

function majorOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version.split(".", 1)[0];
}
