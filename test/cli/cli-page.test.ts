import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { cliRun } from "../fakes/cli-context.js";

it("docs/cli.md holds, below its introduction, the help of every command (`npx vitest run test/cli/cli-page.test.ts -u` writes it)", async () => {
  const program = await createProgram(cliRun({ workingDirectory: "." }).context);
  const [introduction] = readFileSync("docs/cli.md", "utf8").split("## sextant\n");
  const page = `${introduction}${sections(program, "").join("\n")}`;
  await expect(page).toMatchFileSnapshot("../../docs/cli.md");
});

function sections(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`.trim();
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  const subcommands = command.commands.flatMap((subcommand) => sections(subcommand as Command, name));
  return [`## ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`, ...subcommands];
}
