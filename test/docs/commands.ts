/** The commands of the documentation: those of shell blocks and of CI jobs, and the examples of the help texts. */
import { examplesIn } from "./examples.js";

/** What is run in one folder. */
export interface DocumentedScript {
  /** Page and heading; of an example in a help text, with the command. */
  readonly name: string;
  /** Each on as many lines as in the page, without comment. */
  readonly commands: readonly string[];
}

/** Of all pages, in order. */
export function documentedScripts(): DocumentedScript[] {
  return [
    ...examplesIn("sh", "bash").map(({ name, code }) => ({ name, commands: commandsOf(code) })),
    ...examplesIn("yaml").map(({ name, code }) => ({
      name,
      commands: [...code.matchAll(/^ *- (?:run: )?npx (sextant .+)$/gm)].map(([, command = ""]) => command),
    })),
    ...examplesIn("text").flatMap(({ name, code }) =>
      [...code.matchAll(/^ {2}\$ (.+)$/gm)].map(([, command = ""]) => ({
        name: `${name}, ${command}`,
        commands: [command],
      })),
    ),
  ];
}

/** The commands of a shell script in order. Lines that a backslash or an open quote joins are one, and so is a loop. */
function commandsOf(script: string): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of script.trim().split("\n")) {
    open = (open === "" ? line : `${open}\n${line}`).replace(/(^|\s+)#.*$/, "").trim();
    if (open === "" || isUnfinished(open)) continue;
    commands.push(open);
    open = "";
  }
  if (open !== "") throw new Error(`the command has no end: ${open}`);
  return commands;
}

function isUnfinished(command: string): boolean {
  const isQuoteOpen = command.split("'").length % 2 === 0;
  const isLoopOpen = /^for .*; do$/m.test(command) && !/^done$/m.test(command);
  return isQuoteOpen || isLoopOpen || command.endsWith("\\");
}
