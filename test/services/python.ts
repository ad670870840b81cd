import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** pip asks an index that cannot be reached again and again. */
const INSTALL_LIMIT_MS = 240_000;

export type Python =
  | { readonly interpreter: string; readonly packages: string }
  | { readonly interpreter: null; readonly why: string };

/**
 * A virtual environment in an empty folder with these packages (`openai==3.57.0`), from wheels alone.
 *
 * @returns its interpreter and what was installed, such as `openai 3.22.1`; or why there is none
 */
export async function pythonWith(packages: readonly string[], folder: string): Promise<Python> {
  const interpreter = join(folder, "bin/python");
  const pip = ["-m", "pip", "--disable-pip-version-check"];
  try {
    await execute("python3", ["-m", "venv", folder]);
    const install = ["install", "--quiet", "--only-binary", ":all:", "--retries", "0", "--timeout", "20"];
    await execute(interpreter, [...pip, ...install, ...packages], { timeout: INSTALL_LIMIT_MS });
    const { stdout } = await execute(interpreter, [...pip, "list", "--format", "freeze"]);
    const installed = stdout.split("\n").filter((line) => packages.includes(line));
    return { interpreter, packages: installed.join(", ").replaceAll("==", " ") };
  } catch (error) {
    const { message, stderr = "" } = error as Error & { stderr?: string };
    return { interpreter: null, why: stderr.trim().split("\n").at(-1) || message };
  }
}
