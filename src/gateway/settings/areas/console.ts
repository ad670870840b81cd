import { milliseconds, switchField } from "../field.js";

/** The page for operators. */
export const consoleSettings = {
  console: switchField(
    { usual: true },
    "Whether the operator console is served at `/console`. One signs in with an `admin` key.",
  ),
  consoleSessionMs: milliseconds(
    43_200_000,
    "Longest time for a session of the console, in milliseconds. Then its user has to sign in again.",
  ),
};
