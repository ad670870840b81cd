/** Keys of this gateway, of providers, and tokens, by how they begin (those of providers: as their consoles show them, a guess). */
const KEY =
  /^(?:[^\s]*[=:])?(?:Bearer\s+)?(?:pk_live_[A-Za-z0-9]{40}|sk-[\w-]{20,}|gsk_\w{20,}|xai-\w{20,}|AIza[\w-]{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]+)$/;
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/**
 * What to tell someone who gave a secret as an argument: arguments are in the list of processes, which every user of a machine reads, and in
 * the shell's history. No command takes one.
 *
 * @returns undefined when no argument looks like one; never the argument itself
 */
export function secretWarning(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((argument) => KEY.test(argument) || ADDRESS_WITH_PASSWORD.test(argument));
  if (at < 0) return undefined;
  return (
    `argument ${at + 1} looks like a key or password. Other users of this machine can read arguments, and shells keep them: ` +
    "give it in the environment or in .env, and replace it."
  );
}
