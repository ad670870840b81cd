/** Packages of the npm registry that are read, not installed. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface PackedPackage {
  /** Where it lies unpacked. */
  readonly folder: string;
  readonly version: string;
  /** Day of its publication. */
  readonly published: string;
}

/** The newest version of a package, unpacked in `within`; whatever Node it asks for. */
export function newestPackage(name: string, within: string): PackedPackage {
  const version = npm("view", name, "dist-tags.latest").trim();
  const [packed] = JSON.parse(
    npm("pack", `${name}@${version}`, "--pack-destination", within, "--json", "--ignore-scripts"),
  ) as readonly { readonly filename: string }[];
  const folder = join(within, name.replaceAll("/", "-"));
  execFileSync("mkdir", ["-p", folder]);
  execFileSync("tar", ["-xzf", join(within, packed?.filename ?? ""), "-C", folder, "--strip-components=1"]);
  return { folder, version, published: publishedOn(name, version) };
}

/** Day of the publication of a version. */
export function publishedOn(name: string, version: string): string {
  const times = JSON.parse(npm("view", name, "time", "--json")) as Readonly<Record<string, string>>;
  return (times[version] ?? "").slice(0, "2026-01-31".length);
}

const npm = (...parameters: readonly string[]): string =>
  execFileSync("npm", parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
