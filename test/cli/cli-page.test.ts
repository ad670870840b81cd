import { readFileSync } from "node:fs";
import { type Command, Help, type Option } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { cliRun } from "../fakes/cli-context.js";

it("docs/cli.md holds, below its introduction, every command and option (`npx vitest run test/cli/cli-page.test.ts -u` writes it)", async () => {
  const program = await createProgram(cliRun({ workingDirectory: "." }).context);
  const commands = named(program as Command, "");
  const all = commands.flatMap(({ command }) => command.options);
  const isShared = (option: Option) => all.filter((other) => isSame(option, other)).length >= SHARED_BY;
  const shared = all.filter(isShared);
  const distinct = shared.filter((option, at) => shared.findIndex((other) => isSame(option, other)) === at);
  const [introduction] = readFileSync("docs/cli.md", "utf8").split("## Options of several commands\n");
  const sections = commands
    .filter(({ command }) => command !== program && !isOnlyAGroup(command as Command))
    .map(({ name, command }) => section(name, command, isShared));
  const page = [
    `${introduction}## Options of several commands\n\n${optionTable(distinct)}`,
    ...sections,
  ].join("\n\n");
  await expect(`${page}\n`).toMatchFileSnapshot("../../docs/cli.md");
});

/** So many commands have an option that is described once. */
const SHARED_BY = 3;

interface Named {
  readonly name: string;
  readonly command: Command;
}

/** The command and those below it, with their whole names. */
function named(command: Command, parent: string): Named[] {
  const name = `${parent} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((below) => named(below as Command, name))];
}

/** A command that does nothing itself, and whose help says no more than those below it. */
const isOnlyAGroup = (command: Command): boolean =>
  command.commands.length > 0 && command.options.length === 0 && below(command) === "";

const isSame = (left: Option, right: Option): boolean => text(left).join() === text(right).join();

const text = (option: Option): readonly [flags: string, about: string] => [
  option.flags,
  new Help().optionDescription(option),
];

const inCell = (words: string): string => words.replaceAll("|", "\\|").replaceAll("<", "\\<");

const optionTable = (options: readonly Option[]): string =>
  [
    "| option | |",
    "|---|---|",
    ...options.map(text).map(([flags, about]) => `| \`${flags}\` | ${inCell(about)} |`),
  ].join("\n");

function section(name: string, command: Command, isShared: (option: Option) => boolean): string {
  const help = new Help();
  const operands = help
    .visibleArguments(command)
    .map((operand) => `\`${operand.name()}\`: ${inCell(help.argumentDescription(operand))}.`);
  const own = command.options.filter((option) => !isShared(option) && option.long !== "--version");
  const shared = command.options.filter(isShared).map(({ long }) => `\`${long}\``);
  const [paragraphs = "", examples] = below(command).split(/(?:^|\n\n)Examples:\n/);
  const known =
    shared.length === 0 ? [] : [`Options: ${shared.join(", ")}${own.length === 0 ? "." : ", and"}`];
  const parts = [
    `## ${name}`,
    [sentence(help.commandDescription(command)), ...operands, ...known].join(" "),
    ...(own.length === 0 ? [] : [optionTable(own)]),
    ...(paragraphs === "" ? [] : [paragraphs]),
    ...(examples === undefined ? [] : [`\`\`\`text\n${examples}\n\`\`\``]),
  ];
  return parts.join("\n\n");
}

const sentence = (words: string): string =>
  `${words.replace(/^./, (letter) => letter.toUpperCase()).replace(/\.$/, "")}.`;

/** What the help of the command has below its options. */
function below(command: Command): string {
  let whole = "";
  command.configureOutput({
    writeOut: (words) => {
      whole += words;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  return whole.slice(command.helpInformation().length).trimEnd().replace(/^\n+/, "");
}
