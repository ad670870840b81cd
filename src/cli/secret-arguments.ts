import { looksLikeSecret } from "../foundation/secrets.js";

/**
 * What to tell someone who gave a secret as an argument: arguments are in the list of processes, which every user of a machine reads, and in
 * the shell's history. No command takes one.
 *
 * @returns undefined when no argument looks like one; never the argument itself
 */
export function secretWarning(argv: readonly string[]): string | undefined {
  const at = argv.findIndex(looksLikeSecret);
  if (at < 0) return undefined;
  return (
    `argument ${at + 1} looks like a key or password. Other users of this machine can read arguments, and shells keep them: ` +
    "give it in the environment or in .env, and replace it."
  );
}
