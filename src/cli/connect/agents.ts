/** The coding agents that `sextant connect` and `sextant run` know, and what each reads to find a gateway. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../../foundation/package.js";
import type { CliContext } from "../context.js";
import { editableJson, type JsonFormat, type Path } from "./editable-text.js";

/** What an agent needs to know of a server. */
export interface Connection {
  /** Address of the server, without `/v1`. */
  readonly root: string;
  readonly key: string;
  readonly model: string;
  /** For titles, summaries and what else an agent gives to a small model. */
  readonly smallModel: string;
}

/** Where an agent that is started there looks for its files. */
type Place = Pick<CliContext, "environment" | "workingDirectory">;

const homeOf = ({ environment }: Place): string => environment.HOME || environment.USERPROFILE || homedir();

/** A path that ends with a number is one of an entry of a list, which is added to those there. */
interface MemberToSet {
  readonly at: Path;
  /** Undefined removes the member. */
  readonly value: unknown;
  /** Texts that a connection sets, others being the user's; undefined where only the one that it set is. */
  readonly ours?: RegExp | undefined;
}

const member = (at: Path, value: unknown, ours?: RegExp): MemberToSet => ({ at, value, ours });

/** Some members of a file that is the user's. */
export interface MembersToSet {
  readonly path: string;
  readonly format: JsonFormat | "yaml";
  readonly members: readonly MemberToSet[];
  /** Where the key stands afterwards. */
  readonly keyAt: readonly string[];
}

/** A file that is ours alone. Its first line is OWN_FILE_MARK. */
export interface OwnFile {
  readonly path: string;
  readonly text: string;
}

export interface Agent {
  readonly name: string;
  /** What starts it; empty for one that no command starts. */
  readonly program: string;
  /** Variables for one run, beside SEXTANT_API_KEY, which is the key. */
  readonly environment?: (connection: Connection) => Readonly<Record<string, string>>;
  /** Options for one run, which the agent also takes after its own. Never the key: a list of processes shows them. */
  readonly parameters?: (connection: Connection, place: Place) => readonly string[];
  readonly configuration?: (connection: Connection, place: Place) => MembersToSet | OwnFile;
  /** What to know or do beside that. */
  readonly notes: (connection: Connection, place: Place) => readonly string[];
}

export const OWN_FILE_MARK = "# Written by `sextant connect`, which removes it with --undo.";

const SUBSCRIPTION =
  "Its requests carry a key of the gateway. Log out of a subscription: vendors close accounts whose subscription other " +
  "programs use.";

/** https://docs.anthropic.com/en/docs/claude-code/llm-gateway and /model-config, by their translations, read 2026-11-26. */
const claudeVariables = ({ root, key, model, smallModel }: Connection) => ({
  ANTHROPIC_BASE_URL: root,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel,
});

/**
 * What would lead Claude Code elsewhere: a cloud counts before the base URL (its names as in the program 2.1.197,
 * Bedrock tried with it on 2026-11-27), and beside a token a key would be sent as well.
 */
const CLAUDE_ELSEWHERE = [
  "ANTHROPIC_API_KEY",
  ...["BEDROCK", "VERTEX", "FOUNDRY", "MANTLE", "ANTHROPIC_AWS", "GATEWAY"].map(
    (cloud) => `CLAUDE_CODE_USE_${cloud}`,
  ),
];
const NO_CLAUDE_ELSEWHERE = Object.fromEntries(CLAUDE_ELSEWHERE.map((name) => [name, ""]));

const scriptFor = (name: string): string => join(PACKAGE_ROOT, "dist", "cli", "connect", name);

/** What prints a line about the session that an agent names. @param file that has the key; undefined where SEXTANT_API_KEY is it */
const lineCommand = (root: string, file?: string): string =>
  [process.execPath, scriptFor("agent-line.js"), root, file]
    .flatMap((word) => (word === undefined ? [] : `"${word}"`))
    .join(" ");

const LINE_COMMAND = /^"[^"]+" "[^"]+agent-line\.js"( "[^"]*")+$/;

const matches = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);

/** Undefined also where the file cannot be read: whoever changes it says so. */
function memberOf(path: string, name: string): unknown {
  try {
    return editableJson(readFileSync(path, "utf8"), "jsonc")?.valueAt([name]);
  } catch {
    return undefined;
  }
}

const claudeSettings = (place: Place): string =>
  join(place.environment.CLAUDE_CONFIG_DIR || join(homeOf(place), ".claude"), "settings.json");

/** The status line of a settings file of Claude Code, and whether it is the user's own. */
function statusLineIn(path: string) {
  const line = memberOf(path, "statusLine") as { readonly command?: unknown } | undefined;
  return { line, isOwn: line !== undefined && !matches(line?.command, LINE_COMMAND) };
}

const OPENCODE_PLUGIN = pathToFileURL(scriptFor("opencode-plugin.js")).href;
const OUR_PLUGIN = /\/cli\/connect\/opencode-plugin\.js$/;

/** Where the plugin stands in the file's list, or would be added. */
function pluginIndex(path: string): number {
  const plugins = memberOf(path, "plugin");
  if (!Array.isArray(plugins)) return 0;
  const index = plugins.findIndex((entry) => matches(entry, OUR_PLUGIN));
  return index < 0 ? plugins.length : index;
}

/** Tried with opencode 1.18.33 on 2026-11-26; version 2 reads the same: https://opencode.ai/docs/migrate-v1, read 2026-11-26. */
const opencodeMembers = ({ root, key, model, smallModel }: Connection) => ({
  provider: {
    sextant: {
      npm: "@ai-sdk/openai-compatible",
      name: "Sextant",
      options: { baseURL: `${root}/v1`, apiKey: key },
      models: { [model]: {}, [smallModel]: {} },
    },
  },
  model: `sextant/${model}`,
  small_model: `sextant/${smallModel}`,
});

export const AGENTS: Readonly<Record<string, Agent>> = {
  "claude-code": {
    name: "Claude Code",
    program: "claude",
    environment: (connection) => ({ ...claudeVariables(connection), ...NO_CLAUDE_ELSEWHERE }),
    // Variables of its settings files count before its environment, and --settings before both (tried with 2.1.197;
    // https://github.com/anthropics/claude-code/issues/8500, 2025-09-30). The key comes from the environment alone.
    parameters: (connection, place) => {
      const env = { ...claudeVariables({ ...connection, key: "" }), ...NO_CLAUDE_ELSEWHERE };
      const apiKeyHelper = `"${process.execPath}" -p process.env.SEXTANT_API_KEY`;
      // https://code.claude.com/docs/en/statusline, read 2026-11-29.
      const statusLine = { type: "command", command: lineCommand(connection.root) };
      const ofProject = ["settings.json", "settings.local.json"].map((name) =>
        join(place.workingDirectory, ".claude", name),
      );
      const hasOwn = [claudeSettings(place), ...ofProject].some((path) => statusLineIn(path).isOwn);
      return ["--settings", JSON.stringify({ env, apiKeyHelper, ...(!hasOwn && { statusLine }) })];
    },
    configuration: (connection, place) => {
      const path = claudeSettings(place);
      const { line, isOwn } = statusLineIn(path);
      const statusLine = { ...line, type: "command", command: lineCommand(connection.root, path) };
      return {
        path,
        format: "json",
        members: [
          ...Object.entries(claudeVariables(connection)).map(([name, value]) => member(["env", name], value)),
          ...CLAUDE_ELSEWHERE.map((name) => member(["env", name], undefined)),
          ...(isOwn ? [] : [member(["statusLine"], statusLine)]),
        ],
        keyAt: ["env", "ANTHROPIC_AUTH_TOKEN"],
      };
    },
    notes: ({ root }, place) => {
      const path = claudeSettings(place);
      const stays = `Your own status line stays. \`sextant cost SESSION\` prints the cost, as does, with the input of a status line: ${lineCommand(root, path)}`;
      return statusLineIn(path).isOwn ? [stays, SUBSCRIPTION] : [SUBSCRIPTION];
    },
  },
  // https://developers.openai.com/codex/config-advanced, read 2026-11-26: profiles are files of their own since 0.134.
  codex: {
    name: "Codex CLI",
    program: "codex",
    environment: () => ({}),
    parameters: ({ root, model }) =>
      Object.entries({
        model,
        model_provider: "sextant",
        "model_providers.sextant.name": "Sextant",
        "model_providers.sextant.base_url": `${root}/v1`,
        "model_providers.sextant.env_key": "SEXTANT_API_KEY",
        "model_providers.sextant.wire_api": "responses",
      })
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .concat(`hooks.Stop=[{hooks=[{type="command",command=${JSON.stringify(lineCommand(root))}}]}]`)
        .flatMap((setting) => ["-c", setting]),
    configuration: ({ root, key, model }, place) => {
      const path = join(place.environment.CODEX_HOME || join(homeOf(place), ".codex"), "sextant.config.toml");
      return {
        path,
        text: [
          OWN_FILE_MARK,
          `model = ${JSON.stringify(model)}`,
          'model_provider = "sextant"',
          "",
          "[model_providers.sextant]",
          'name = "Sextant"',
          `base_url = ${JSON.stringify(`${root}/v1`)}`,
          `experimental_bearer_token = ${JSON.stringify(key)}`,
          'wire_api = "responses"',
          "",
          "[[hooks.Stop]]",
          "[[hooks.Stop.hooks]]",
          'type = "command"',
          `command = ${JSON.stringify(lineCommand(root, path))}`,
          "",
        ].join("\n"),
      };
    },
    notes: () => [
      "Start it with `codex --profile sextant` (version 0.134 or later).",
      "Its web search works with OpenAI's models alone: others are asked without it.",
      "It asks once whether to trust a hook: the one that prints the cost after each turn.",
      SUBSCRIPTION,
    ],
  },
  opencode: {
    name: "opencode",
    program: "opencode",
    // opencode adds its plugins to those of the user's files (tried with 1.18.33 on 2026-11-29).
    environment: (connection) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...opencodeMembers(connection), plugin: [OPENCODE_PLUGIN] }),
    }),
    configuration: (connection, place) => {
      const { provider, ...models } = opencodeMembers(connection);
      const folder = join(place.environment.XDG_CONFIG_HOME || join(homeOf(place), ".config"), "opencode");
      // What stands in opencode.jsonc counts before opencode.json (tried with 1.18.33 on 2026-11-27).
      const commented = join(folder, "opencode.jsonc");
      const path = existsSync(commented) ? commented : join(folder, "opencode.json");
      return {
        path,
        format: "jsonc",
        members: [
          member(["provider", "sextant"], provider.sextant),
          ...Object.entries(models).map(([name, value]) => member([name], value, /^sextant\//)),
          member(["plugin", pluginIndex(path)], OPENCODE_PLUGIN, OUR_PLUGIN),
        ],
        keyAt: ["provider", "sextant", "options", "apiKey"],
      };
    },
    notes: () => [],
  },
  // https://aider.chat/docs/llms/openai-compat.html, and its options as its documentation lists them, read 2026-11-26; tried with 0.86.2 on 2026-11-29.
  aider: {
    name: "aider",
    program: "aider",
    environment: ({ root, key, model, smallModel }) => ({
      OPENAI_API_BASE: `${root}/v1`,
      OPENAI_API_KEY: key,
      AIDER_MODEL: `openai/${model}`,
      AIDER_WEAK_MODEL: `openai/${smallModel}`,
    }),
    configuration: ({ root, key, model, smallModel }, place) => ({
      path: join(homeOf(place), ".aider.conf.yml"),
      format: "yaml",
      members: [
        member(["openai-api-base"], `${root}/v1`),
        member(["openai-api-key"], key),
        member(["model"], `openai/${model}`),
        member(["weak-model"], `openai/${smallModel}`),
      ],
      keyAt: ["openai-api-key"],
    }),
    notes: () => ["It warns that it does not know the model's limits and prices, and goes on."],
  },
  // https://cursor.com/help/models-and-usage/api-keys.md, read 2026-11-25: keys are entered in the program.
  cursor: {
    name: "Cursor",
    program: "",
    notes: ({ root, model }) => [
      "Cursor keeps keys in its own settings, which other programs cannot write:",
      "1. sextant keys create --name cursor --usd-per-month 50",
      "2. Cursor Settings → Models: that key as OpenAI API key, *Override OpenAI Base URL* on.",
      `3. The base URL is ${root}/v1, under an address that Cursor's servers reach; add the model ${model}.`,
      "Its agent sends a form that no server of chat completions reads; its chat works (docs/tools.md).",
    ],
  },
};
