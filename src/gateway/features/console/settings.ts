import { milliseconds, switchField } from "../../settings/field.js";

/** The page for operators. */
export const consoleSettings = {
  console: switchField(
    { usual: true },
    "Whether the operator console is served at `/console`; signing in takes an `admin` key.",
  ),
  consoleSessionMs: milliseconds(43_200_000, "Longest session of the console, in milliseconds."),
};
