import { basename } from "node:path";
import { Command, Option } from "commander";
import { type CliContext, CommandFailure } from "../context.js";
import { agentServer } from "./agent-key.js";
import { AGENTS } from "./agents.js";
import { addModelOptions, type ModelOptions } from "./connect.js";

interface RunOptions extends ModelOptions {
  readonly agent?: string;
}

/** How long a key works whose run was killed. */
const LONGEST_RUN_MS = 24 * 60 * 60 * 1000;

/** `sextant run`: one run of a coding agent on a server, with a key that ends with it. */
export function runCommand(context: CliContext): Command {
  const runnable = Object.keys(AGENTS).filter((id) => AGENTS[id]?.environment !== undefined);
  const command = new Command("run")
    .description("run a coding agent on a server, with a key that ends with it, and change no file")
    .argument("<command...>", "what to run, after --")
    .addOption(
      new Option("--agent <agent>", "which agent the command starts; default: by its name").choices(runnable),
    );
  return addModelOptions(command)
    .action(async (words: readonly string[], options: RunOptions) => {
      const [program = "", ...parameters] = words;
      const id = options.agent ?? runnable.find((each) => AGENTS[each]?.program === basename(program));
      const agent = AGENTS[id ?? ""];
      if (id === undefined || agent?.environment === undefined) {
        throw new CommandFailure(
          `"${program}" is none of the agents that are known. Say which one it starts: --agent ${runnable.join(" | ")}.`,
          2,
        );
      }
      const server = agentServer(options, context);
      const expiresAtMs = context.now() + LONGEST_RUN_MS;
      const { key, revoke } = await server.createKey({ name: `run ${id}`, source: id, expiresAtMs });
      try {
        await server.check(key);
        const connection = { ...options, root: server.root, key };
        const added = agent.parameters?.(connection) ?? [];
        // What starts an agent, such as npx, would take options that stand before the agent's name for its own.
        const isAgent = basename(program) === agent.program;
        const exitCode = await context.runProgram(
          program,
          isAgent ? [...added, ...parameters] : [...parameters, ...added],
          // In the place of a key with the scope `admin`, which an agent is not to have.
          { ...context.environment, SEXTANT_API_KEY: key, ...agent.environment(connection) },
        );
        if (exitCode !== 0) throw new CommandFailure(`${program} ended with ${exitCode}`, exitCode);
      } finally {
        await revoke();
      }
    })
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant run -- claude\n  $ sextant run --model auto:0.4 -- codex exec "fix the failing test"\n  $ sextant run --agent aider -- uvx aider-chat',
    );
}
