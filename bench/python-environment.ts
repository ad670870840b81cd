import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder of the programs of a virtual environment with what a folder's `requirements.txt` names. It is made at the first run, by
 * `python3` and from PyPI.
 *
 * @throws Error when pip fails
 */
export function pythonEnvironment(folder: string): string {
  const environment = join(folder, ".venv");
  const programs = join(environment, "bin");
  if (existsSync(environment)) return programs;
  console.log(`installing ${join(folder, "requirements.txt")} …`);
  try {
    execFileSync("python3", ["-m", "venv", environment]);
    const requirements = ["-r", join(folder, "requirements.txt")];
    execFileSync(join(programs, "pip"), ["install", "--quiet", "--only-binary", ":all:", ...requirements]);
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    throw error;
  }
  return programs;
}
