/** Code of an error, which it keeps on its way out of the thread. */
export const UNUSABLE_FILE = "UNUSABLE_FILE";

/** The file of traces cannot be used. The message completes "the traces in <path> cannot be used: …". */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
  readonly code = UNUSABLE_FILE;
}

const REASONS: readonly { readonly sign: RegExp; readonly reason: (message: string) => string }[] = [
  {
    sign: /lock on file|conflicting lock|used by another process/i,
    reason: (message) => {
      const pid = /PID (\d+)/.exec(message)?.[1];
      const who = pid === undefined ? "another process" : `another process (${pid})`;
      return `${who} uses the file, which only one process can open. Stop it, or give this one another folder with SEXTANT_DATA_DIR`;
    },
  },
  {
    sign: /permission denied|read-only file system|operation not permitted/i,
    reason: () => "the file cannot be written. Give the process the right to write to it and to its folder",
  },
  {
    sign: /no space left|disk quota|file too large/i,
    reason: () => "the disk is full. Make room",
  },
  {
    sign: /not a valid duckdb|corrupt|checksum|could not read enough bytes|serialization error|internal error/i,
    reason: (message) =>
      `the file is damaged (${firstLine(message)}). It was left as it is: restore it from a backup, or move it away to ` +
      "begin a new one",
  },
];

/** What the library said when it could not open or write the file, as a reason with a remedy. */
export function reasonOf(message: string): string {
  return REASONS.find(({ sign }) => sign.test(message))?.reason(message) ?? firstLine(message);
}

const firstLine = (message: string): string => (message.split("\n")[0] ?? "").slice(0, 300);
