/**
 * For schemas that a process uses once or twice, when it starts: Zod compiles a checker of a schema at its first use, which takes
 * longer than checking one value without it.
 */
export const PARSE_ONCE = { jitless: true } as const;
