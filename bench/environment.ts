import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";

/** Where and when figures were measured, without which they cannot be compared. */
export interface Environment {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Abbreviated; ends in `+` when the working tree had changes; null outside a repository. */
  readonly commit: string | null;
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Load average over the minute before, including this process. Above `cores`, times are unreliable. */
  readonly load: number;
}

export function describeEnvironment(now: Date): Environment {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    node: process.version,
    commit: currentCommit(),
    date: now.toISOString(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** One line for a person. */
export function environmentLine({ processor, cores, node, commit, date, load }: Environment): string {
  return `${processor}, ${cores} cores, Node ${node}, commit ${commit ?? "unknown"}, ${date}, load ${load}`;
}

function currentCommit(): string | null {
  try {
    const git = (...words: string[]) =>
      execFileSync("git", words, { encoding: "utf8", stdio: "pipe" }).trim();
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : "+");
  } catch {
    return null;
  }
}
