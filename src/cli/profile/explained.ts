import { resolve } from "node:path";
import { type CliContext, CommandFailure } from "../context.js";

const EXPLAINED = [
  "OutcomeDataError",
  "PlacementError",
  "ProfileSetError",
  "SectionFileError",
  "SearchCheckError",
  "SextantError",
  "EmbedderLoadError",
  "TransformersWorkerError",
  "WorkbenchError",
];
const INTERRUPTED = 130;

/** The command was stopped, and can go on. */
export const stopped = (): CommandFailure =>
  new CommandFailure("stopped; run the same command to go on", INTERRUPTED);

/** Runs a command. Faults of the files it was given are explained by their message; being stopped is no bug either. */
export async function explained(context: CliContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (context.signal.aborted) throw stopped();
    throw error instanceof Error && EXPLAINED.includes(error.name)
      ? new CommandFailure(error.message)
      : error;
  }
}

export function inFolder(context: CliContext, path: string): string {
  return resolve(context.workingDirectory, path);
}
