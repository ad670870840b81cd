import { basename } from "node:path";
import { choice, command } from "../command.js";
import { CommandFailure } from "../context.js";
import { MODEL_OPTIONS } from "../options.js";
import { agentServer } from "./agent-key.js";
import { AGENTS } from "./agents.js";

/** How long a key works whose run was killed. */
const LONGEST_RUN_MS = 24 * 60 * 60 * 1000;

const RUNNABLE = Object.keys(AGENTS).filter((id) => AGENTS[id]?.environment !== undefined);

/** `sextant run`: one run of a coding agent on a server, with a key that ends with it. */
export const runCommand = command("run", {
  about: "run a coding agent on a server with a temporary key, without changing any file",
  operands: [{ name: "<command...>", about: "the command, after --" }],
  options: {
    agent: choice("<agent>", "which agent the command starts; default: by its name", RUNNABLE),
    ...MODEL_OPTIONS,
  },
  examples: [
    "sextant run -- claude",
    'sextant run --model auto:0.4 -- codex exec "fix the failing test"',
    "sextant run --agent aider -- uvx aider-chat",
  ],
  async run(options, context, program, ...parameters) {
    const id = options.agent ?? RUNNABLE.find((each) => AGENTS[each]?.program === basename(program));
    const agent = AGENTS[id ?? ""];
    if (id === undefined || agent?.environment === undefined) {
      throw new CommandFailure(
        `"${program}" is not a known agent. Say which one it starts: --agent ${RUNNABLE.join(" | ")}.`,
        2,
      );
    }
    const server = agentServer(options, context);
    const expiresAtMs = context.now() + LONGEST_RUN_MS;
    const { key, revoke } = await server.createKey({ name: `run ${id}`, source: id, expiresAtMs });
    try {
      await server.check(key);
      const connection = { ...options, root: server.root, key };
      const added = agent.parameters?.(connection, context) ?? [];
      // What starts an agent, such as npx, would take options that stand before the agent's name for its own.
      const isAgent = basename(program) === agent.program;
      const exitCode = await context.runProgram(
        program,
        isAgent ? [...added, ...parameters] : [...parameters, ...added],
        // Instead of a key with the scope `admin`, which an agent is not to have.
        { ...context.environment, SEXTANT_API_KEY: key, ...agent.environment(connection) },
      );
      if (exitCode !== 0) throw new CommandFailure(`${program} ended with ${exitCode}`, exitCode);
    } finally {
      await revoke();
    }
  },
});
