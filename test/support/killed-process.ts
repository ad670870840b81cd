import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** What a script writes, line by line, until it is killed after so many of them; a few more may come. */
export async function linesUntilKilled(
  script: URL,
  { argv, after }: { readonly argv: readonly string[]; readonly after: number },
): Promise<string[]> {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(script), ...argv], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === after) child.kill("SIGKILL");
  }
  await exited;
  if (lines.length < after) throw new Error(`It ended by itself after ${lines.length} lines.`);
  return lines;
}
