import { Command, CommanderError } from "commander";
import { ExplainedError } from "../foundation/errors.js";
import { packageVersion } from "../foundation/package.js";
import type { MakeCommand } from "./command.js";
import { type CliContext, CommandFailure } from "./context.js";
import { printable } from "./printable.js";
import { secretWarning } from "./secret-arguments.js";

const USAGE_ERROR = 2;
/** Characters a line of help has where there is no terminal to ask. */
const HELP_WIDTH = 100;

/** Loaded when asked for: what one command needs takes the others hundreds of milliseconds to load. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  serve: async () => (await import("./serve/serve.js")).serveCommand,
  route: async () => (await import("./route/route.js")).routeCommand,
  models: async () => (await import("./models.js")).modelsCommand,
  catalog: async () => (await import("./catalog.js")).catalogCommand,
  profile: async () => (await import("./profile/profile.js")).profileCommand,
  keys: async () => (await import("./keys/keys.js")).keysCommand,
  connect: async () => (await import("./connect/connect.js")).connectCommand,
  run: async () => (await import("./connect/run.js")).runCommand,
  cost: async () => (await import("./connect/cost.js")).costCommand,
  import: async () => (await import("./import/import.js")).importCommand,
  pauses: async () => (await import("./pauses.js")).pausesCommand,
  replay: async () => (await import("./replay.js")).replayCommand,
  traces: async () => (await import("./traces/traces.js")).tracesCommand,
};

function commandsFor(name: string | undefined) {
  if (name === "--version" || name === "-V") return [];
  const named = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  return named === undefined ? Object.values(COMMANDS) : [named];
}

/** The command line: the one command with that name alone, or all of them when none has it. */
export async function createProgram(context: CliContext, name?: string): Promise<Command> {
  const commands = await Promise.all(commandsFor(name).map((load) => load()));
  const program = new Command("sextant")
    .description("Decides which model should answer a prompt, locally.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", EXAMPLES);
  for (const command of commands) program.addCommand(command(context));
  for (const command of [program, ...descendants(program)]) {
    command
      .exitOverride()
      .showHelpAfterError("(add --help for the options)")
      .configureOutput({
        writeOut: (text) => context.stdout.write(printable(text)),
        writeErr: (text) => context.stderr.write(printable(text)),
        getOutHelpWidth: () => context.stdout.columns ?? HELP_WIDTH,
      });
  }
  return program;
}

const EXAMPLES = `
Examples:
  $ sextant serve
  $ sextant route "Prove that the square root of 2 is irrational."
  $ sextant route "What is 2 + 2?" --models gpt-5.5,gpt-5.4-mini --cost-weight 0.3
  $ sextant route --batch prompts.jsonl.gz > decisions.jsonl
  $ sextant models --live --provider anthropic
  $ sextant keys create --name "my app"
  $ sextant run -- claude
  $ sextant pauses add model gpt-5.5 --redirect-to gpt-5.4-mini --reason "outage" --for 2h
  $ sextant traces search --status error --start-date 24h

Settings come from the environment, .env and sextant.config.json: see docs/settings.md in the folder of the package.`;

function descendants(command: Command): Command[] {
  return command.commands.flatMap((subcommand) => [
    subcommand as Command,
    ...descendants(subcommand as Command),
  ]);
}

/**
 * Runs one command line (without the program's own name). Faults are explained on standard error.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const warning = secretWarning(argv);
  if (warning !== undefined) context.stderr.write(`sextant: ${warning}\n`);
  try {
    const program = await createProgram(context, argv[0]);
    await program.parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (isClosedPipe(error)) return 0;
    context.stderr.write(`${printable(explanation(error))}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** Whether a reader of what was printed had seen enough. */
const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EPIPE";

/** Our own errors explain themselves; anything else is a bug, for which the place matters. */
function explanation(error: unknown): string {
  if (!(error instanceof Error)) return `sextant: ${String(error)}`;
  const isExplained = error instanceof ExplainedError;
  return `sextant: ${isExplained ? withoutHttp(error.message) : (error.stack ?? error.message)}`;
}

/** What messages of the gateway say of the same in HTTP. */
const IN_HTTP =
  /GET \/v1\/models, (?=`sextant models`)|`available_profiles` over HTTP, (?=`sextant models`)| on the command line(?=\))/g;

const withoutHttp = (message: string): string => message.replaceAll(IN_HTTP, "");
