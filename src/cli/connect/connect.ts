import { existsSync } from "node:fs";
import { command, flag, type OptionsOf } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { MODEL_OPTIONS } from "../options.js";
import { agentServer } from "./agent-key.js";
import { AGENTS, type Agent, type Connection } from "./agents.js";
import { connectFile, disconnectFile, earlierFileOf, plannedChanges } from "./configuration-file.js";

const OPTIONS = {
  write: flag("make the key and change the agent's own file, instead of printing what would change"),
  undo: flag("undo the change and revoke the key").excluding("write"),
  ...MODEL_OPTIONS,
};

type ConnectOptions = OptionsOf<typeof OPTIONS>;

/** `sextant connect`: points a coding agent at a server, with a key made for it. */
export const connectCommand = command("connect", {
  about: "point a coding agent at a server, with a key made for it",
  operands: [{ name: "<agent>", about: "the agent", choices: Object.keys(AGENTS) }],
  options: OPTIONS,
  examples: [
    "sextant connect claude-code",
    "sextant connect claude-code --write",
    "sextant connect codex --model auto:0.4 --write",
    "sextant connect claude-code --undo",
  ],
  async run(options, context, id) {
    const agent = AGENTS[id];
    if (agent === undefined) throw new Error("unreachable: commander checks the choices");
    if (agent.configuration === undefined) return explain(agent, options, context);
    if (options.undo) return disconnect(id, agent, options, context);
    if (options.write) return connect(id, agent, options, context);
    return plan(id, agent, options, context);
  },
});

/** Of the agent's key. */
const nameOf = (id: string): string => `connect ${id}`;

/** Of one agent's file, as a connection with this key would leave it. */
function fileOf({ configuration }: Agent, connection: Connection, context: CliContext) {
  const file = configuration?.(connection, context);
  if (file === undefined) throw new Error("unreachable: agents without a file are explained");
  return file;
}

async function explain(agent: Agent, options: ConnectOptions, context: CliContext): Promise<void> {
  if (options.write || options.undo)
    throw new CommandFailure(
      `${agent.name} has no file that could be changed. Leave --write and --undo out.`,
      2,
    );
  const { root } = agentServer(options, context);
  await writeNotes(agent, { ...options, root, key: "" }, context);
}

async function plan(id: string, agent: Agent, options: ConnectOptions, context: CliContext): Promise<void> {
  const { root } = agentServer(options, context);
  const connection = { ...options, root, key: "" };
  const file = fileOf(agent, connection, context);
  const changes = await plannedChanges(file);
  await writeLine(
    context.stdout,
    [
      `${agent.name} reads ${file.path}. \`sextant connect ${id} --write\` would make a key and`,
      ...changes.map((change) => `  ${change}`),
      "members" in file && existsSync(file.path)
        ? `It would keep the file as it is now in ${earlierFileOf(file.path)}; --undo puts back what it changed.`
        : "--undo removes it.",
      `For one run, without a change: sextant run -- ${agent.program}`,
    ].join("\n"),
  );
  await writeNotes(agent, connection, context);
}

async function connect(
  id: string,
  agent: Agent,
  options: ConnectOptions,
  context: CliContext,
): Promise<void> {
  const server = agentServer(options, context);
  const before = fileOf(agent, { ...options, root: server.root, key: "" }, context);
  // Whatever cannot be read is said before there is a key.
  await plannedChanges(before);
  const { key, revoke } = await server.createKey({ name: nameOf(id), source: id });
  const connection = { ...options, root: server.root, key };
  try {
    await server.check(key);
    const earlier = await connectFile(fileOf(agent, connection, context));
    if (earlier !== undefined) await server.revokeKey(earlier, nameOf(id));
  } catch (error) {
    await revoke();
    throw error;
  }
  await writeLine(
    context.stdout,
    `Connected ${agent.name} to ${server.root} in ${before.path}; its traces have the source ${id}. --undo takes it back.`,
  );
  await writeNotes(agent, connection, context);
}

async function disconnect(
  id: string,
  agent: Agent,
  options: ConnectOptions,
  context: CliContext,
): Promise<void> {
  const server = agentServer(options, context);
  const file = fileOf(agent, { ...options, root: server.root, key: "" }, context);
  const { key, kept } = await disconnectFile(file);
  await server.revokeKey(key, nameOf(id));
  await writeLine(
    context.stdout,
    `Disconnected ${agent.name}: what was changed in ${file.path} is undone, and the key is revoked.`,
  );
  if (kept.length > 0)
    await writeLine(context.stdout, `Stays as you have changed it since: ${kept.join(", ")}.`);
}

async function writeNotes(agent: Agent, connection: Connection, context: CliContext): Promise<void> {
  for (const note of agent.notes(connection, context)) await writeLine(context.stdout, note);
}
