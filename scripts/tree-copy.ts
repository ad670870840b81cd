import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The files of a folder that git knows or does not ignore. */
export function listedFiles(folder: string): string[] {
  const flags = ["--cached", "--others", "--exclude-standard"];
  const output = execFileSync("git", ["ls-files", ...flags, folder], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return output.split("\n").filter((path) => path !== "" && existsSync(path));
}

/** A copy of the working tree in a folder of its own, without what git ignores. @returns its path */
export function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "sextant-tree-"));
  const archive = join(copy, "tree.tar");
  const list = join(copy, "tree.list");
  writeFileSync(list, listedFiles(".").join("\0"));
  execFileSync("tar", ["-cf", archive, "--null", "-T", list]);
  execFileSync("tar", ["-xf", archive, "-C", copy]);
  rmSync(archive);
  rmSync(list);
  return copy;
}
