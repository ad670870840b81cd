/** Whether a process of that id runs on this machine. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
