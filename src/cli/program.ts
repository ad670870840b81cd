import { Command, CommanderError } from "commander";
import { AccessFileError } from "../access/shared-file.js";
import { packageVersion } from "../compose.js";
import { EmbedderLoadError } from "../embedding/load-error.js";
import { TransformersWorkerError } from "../embedding/transformers/worker-connection.js";
import { SextantError } from "../errors.js";
import { SettingsError } from "../load-settings.js";
import { ProfileSetError } from "../profiles/load.js";
import { OutcomeDataError } from "../profiles/outcomes/outcome-data-error.js";
import { SectionFileError } from "../profiles/section-file.js";
import { type CliContext, CommandFailure } from "./context.js";
import { keysCommand } from "./keys.js";
import { profileCommand } from "./profile.js";
import { routeCommand } from "./route.js";
import { serveCommand } from "./serve.js";
import { tracesCommand } from "./traces.js";

const USAGE_ERROR = 2;
/** Characters a line of help has where there is no terminal to ask. */
const HELP_WIDTH = 100;

/** The whole command line. */
export function createProgram(context: CliContext): Command {
  const program = new Command("sextant")
    .description("Decides which model should answer a prompt, locally.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addCommand(serveCommand(context))
    .addCommand(routeCommand(context))
    .addCommand(profileCommand(context))
    .addCommand(keysCommand(context))
    .addCommand(tracesCommand(context))
    .addHelpText("after", EXAMPLES);
  for (const command of [program, ...descendants(program)]) {
    command
      .exitOverride()
      .showHelpAfterError("(add --help for the options)")
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        writeErr: (text) => context.stderr.write(text),
        getOutHelpWidth: () => context.stdout.columns ?? HELP_WIDTH,
      });
  }
  return program;
}

const EXAMPLES = `
Examples:
  $ sextant serve
  $ sextant route "Prove that the square root of 2 is irrational."
  $ sextant route "What is 2 + 2?" --models gpt-4o,gpt-4o-mini --cost-weight 0.3
  $ sextant route --batch prompts.jsonl.gz > decisions.jsonl
  $ sextant keys create --name "my app"
  $ sextant traces search --status error --start-date 24h

Settings come from the environment, .env and sextant.config.json: see docs/settings.md.`;

function descendants(command: Command): Command[] {
  return command.commands.flatMap((each) => [each as Command, ...descendants(each as Command)]);
}

/**
 * Runs one command line (without the program's own name). Faults are explained on standard error.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    await createProgram(context).parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    context.stderr.write(`${explanation(error)}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** Errors whose message is written for the person at the command line. */
const EXPLAINED = [
  AccessFileError,
  CommandFailure,
  EmbedderLoadError,
  OutcomeDataError,
  ProfileSetError,
  SectionFileError,
  SettingsError,
  SextantError,
  TransformersWorkerError,
];

/** Our own errors explain themselves; anything else is a bug, for which the place matters. */
function explanation(error: unknown): string {
  if (!(error instanceof Error)) return `sextant: ${String(error)}`;
  const explained = EXPLAINED.some((kind) => error instanceof kind);
  return `sextant: ${explained ? error.message : (error.stack ?? error.message)}`;
}
