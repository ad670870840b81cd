import { spawn } from "node:child_process";
import { type Timers, waitingTimers } from "./timers.js";

/** A command that could not be started, failed, or took too long. The message says which. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
}

export interface CommandLimits {
  readonly timeoutMs: number;
  /** Ends the command, with everything that its shell has started. */
  readonly signal: AbortSignal;
  /** Default: that of this process. */
  readonly workingDirectory?: string | undefined;
  /** Default: those of the system. */
  readonly timers?: Pick<Timers, "after">;
}

/** Characters of what a command prints that are read: grades are shorter. */
const MOST_PRINTED = 4_096;

/**
 * The end of what a command of the shell prints, 4,096 characters at most, when it gets that as JSON on standard input.
 *
 * @throws CommandFault
 */
export function printedBy(
  command: string,
  input: unknown,
  { timeoutMs, signal, workingDirectory, timers = waitingTimers }: CommandLimits,
): Promise<string> {
  // A group of its own, so that what the shell started ends with it.
  const child = spawn(command, { shell: true, detached: true, cwd: workingDirectory });
  const kill = (): void => killGroup(child.pid);
  const collected = { stdout: "", stderr: "" };
  const keep = (name: keyof typeof collected) => (piece: Buffer) => {
    collected[name] = (collected[name] + String(piece)).slice(-MOST_PRINTED);
  };
  child.stdout.on("data", keep("stdout"));
  child.stderr.on("data", keep("stderr"));
  // A command that does not read its input closes it.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(input));
  let isLate = false;
  const cancelTimer = timers.after(timeoutMs, () => {
    isLate = true;
    kill();
  });
  signal.addEventListener("abort", kill, { once: true });
  return new Promise<string>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new CommandFault(`the command cannot be started: ${cause.message}`)),
    );
    child.once("close", (code, killedBy) => {
      if (code === 0) resolve(collected.stdout);
      else
        reject(
          new CommandFault(
            isLate
              ? `the command took longer than ${timeoutMs / 1000} s`
              : failure(code ?? killedBy, collected.stderr),
          ),
        );
    });
  }).finally(() => {
    cancelTimer();
    signal.removeEventListener("abort", kill);
  });
}

function failure(code: number | string | null, stderr: string): string {
  const said = stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  return `the command ended with ${code}${said === "" ? "" : `: ${said}`}`;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
