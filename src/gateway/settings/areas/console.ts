import { z } from "zod";
import { field, flag, MILLISECONDS, milliseconds, numberFromText } from "../field.js";

/** The page for operators. */
export const consoleSettings = {
  console: field(
    flag.default(true),
    "Whether the operator console is served at `/console`. One signs in with an `admin` key.",
    { expects: "`true` or `false`" },
  ),
  consoleIdleMs: field(
    milliseconds(3_600_000),
    "Inactivity after which a session of the console ends, in milliseconds.",
    { expects: MILLISECONDS },
  ),
  consoleSessionMs: field(
    milliseconds(43_200_000),
    "Longest time for a session of the console, in milliseconds. Then its user has to sign in again.",
    { expects: MILLISECONDS },
  ),
  consoleSignInTries: field(
    numberFromText(z.int().min(1).max(1_000_000)).default(10),
    "Refused keys within a minute after which an address has to wait before it tries to sign in to the console again. Behind a proxy, " +
      "set `trusted_proxies`: all users share its address otherwise.",
    { expects: "a whole number from 1 to 1000000" },
  ),
};
