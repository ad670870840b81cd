/**
 * Prints the bill of materials of what `npm install sextant` installs, as CycloneDX, from the lock file alone.
 *
 * Not by `npm sbom --omit dev` in the checkout: npm 11.19 leaves out every package that a development package needs too, such as zod.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly devDependencies?: object;
  readonly workspaces?: readonly string[];
}

interface LockedPackage extends Manifest {
  readonly dev?: boolean;
  /** A house, which is packed with the rest. */
  readonly link?: boolean;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));

const asPacked = ({ devDependencies: _, workspaces: _houses, ...manifest }: Manifest) => manifest;

const folder = mkdtempSync(join(tmpdir(), "sextant-bill-"));
try {
  const lock = read("package-lock.json") as { packages: Record<string, LockedPackage> };
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => dev !== true && link !== true && !path.startsWith("src/"))
    .map(([path, manifest]) => [path, path === "" ? asPacked(manifest) : manifest] as const);
  const manifest = asPacked(read("package.json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }),
  );
  const bill = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  // npm names the package by its folder.
  process.stdout.write(bill.replaceAll(folder.slice(folder.lastIndexOf("/") + 1), manifest.name));
} finally {
  rmSync(folder, { recursive: true });
}
