import { spawn } from "node:child_process";
import { type AnswerToGrade, GradingError, type LocalGrader } from "./grader.js";

export interface CommandOptions {
  /** Run by the shell. */
  readonly command: string;
  /** Default: a minute. */
  readonly timeoutMs?: number;
  /** Default: that of this process. */
  readonly workingDirectory?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Characters of what a command prints that are read: a number is shorter. */
const MOST_PRINTED = 4_096;

/**
 * Grades by a command: it reads `{"id", "model", "prompt", "answer", "reference"}` as JSON from standard input and prints a number from 0
 * to 1. One that fails, prints anything else or takes too long leaves the answer without a grade. Run once for each answer.
 */
export function commandGrader({
  command,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  workingDirectory,
}: CommandOptions): LocalGrader {
  return {
    kind: "local",
    name: "command",
    async grade(answer, { signal }) {
      if (signal.aborted) throw new GradingError("grading was stopped");
      return readScore(await printedBy(command, answer, { timeoutMs, signal, workingDirectory }));
    },
  };
}

function readScore(printed: string): number {
  const score = printed.trim() === "" ? Number.NaN : Number(printed);
  if (score >= 0 && score <= 1) return score;
  const shown = JSON.stringify(printed.trim().slice(0, 80));
  throw new GradingError(`the command printed ${shown}, not a number from 0 to 1`);
}

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly workingDirectory?: string | undefined;
}

function printedBy(
  command: string,
  answer: AnswerToGrade,
  { timeoutMs, signal, workingDirectory }: Limits,
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
  child.stdin.end(JSON.stringify(answer));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  return new Promise<string>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new GradingError(`the command cannot be started: ${cause.message}`)),
    );
    child.once("close", (code, killedBy) => {
      if (code === 0) resolve(collected.stdout);
      else
        reject(
          new GradingError(
            isLate
              ? `the command took longer than ${timeoutMs / 1000} s`
              : failure(code ?? killedBy, collected.stderr),
          ),
        );
    });
  }).finally(() => {
    clearTimeout(timer);
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
