import { milliseconds, switchField, whole } from "../field.js";

/** The page for operators. */
export const consoleSettings = {
  console: switchField(
    { usual: true },
    "Whether the operator console is served at `/console`. One signs in with an `admin` key.",
  ),
  consoleIdleMs: milliseconds(
    3_600_000,
    "Inactivity after which a session of the console ends, in milliseconds.",
  ),
  consoleSessionMs: milliseconds(
    43_200_000,
    "Longest time for a session of the console, in milliseconds. Then its user has to sign in again.",
  ),
  consoleSignInTries: whole(
    { from: 1, to: 1_000_000, usual: 10 },
    "Refused keys within a minute after which an address has to wait before it tries to sign in to the console again. Behind a proxy, " +
      "set `trusted_proxies`: all users share its address otherwise.",
  ),
};
