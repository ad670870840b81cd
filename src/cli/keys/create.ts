import { Command, Option } from "commander";
import { openKeyRing } from "../../compose/keys.js";
import type { ApiKeyMetadata } from "../../gateway/access/keys/api-key.js";
import type { Scope } from "../../gateway/access/principal.js";
import { loadSettings, SCOPES } from "../../gateway/index.js";
import { type CliContext, writeLine } from "../context.js";
import { recordAct } from "../operators.js";
import {
  jsonOption,
  keyTarget,
  limitOptions,
  limitsIn,
  parseExpiry,
  parseName,
  parseScopes,
  parseSource,
  parseWeight,
} from "./key-options.js";

interface CreateOptions {
  readonly name: string;
  readonly source?: string;
  readonly team?: string;
  readonly scopes: readonly Scope[];
  readonly expires?: number;
  readonly costWeight?: number;
  readonly json?: true;
}

/** `sextant keys create`: a new key, printed this once. */
export function createCommand(context: CliContext): Command {
  const command = new Command("create")
    .description("make a key and print it, this once")
    .requiredOption("--name <name>", "what the key is for", parseName)
    .option(
      "--source <source>",
      "source that traces of the key carry; without it a request may name one",
      parseSource,
    )
    .option(
      "--team <team>",
      "team that its requests belong to, for budgets; without it a request may name one",
      parseSource,
    )
    .addOption(
      new Option("--scopes <scopes>", `what it may do, separated by commas: ${SCOPES.join(", ")}`)
        .default(["inference"], "inference")
        .argParser(parseScopes),
    )
    .option(
      "--expires <when>",
      "when it stops working: a date, or a time from now such as 90d or 12h",
      (text) => parseExpiry(text, context.now()),
    )
    .option(
      "--cost-weight <weight>",
      "cost weight of `auto` where a request names none, 0 to 1; default: SEXTANT_AUTO_COST_WEIGHT",
      parseWeight,
    );
  for (const option of limitOptions("new key")) command.addOption(option);
  return command
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => {
      const ring = await openKeyRing(loadSettings(context.environment, context));
      const { key, metadata } = await ring.create({
        name: options.name,
        source: options.source,
        team: options.team,
        scopes: options.scopes,
        expiresAtMs: options.expires,
        limits: limitsIn(options),
        costWeight: options.costWeight,
      });
      const { name, source, team, scopes, limits, cost_weight, expires_at } = metadata;
      const details = { name, source, team, scopes, limits, cost_weight, expires_at };
      await recordAct({ kind: "key.created", target: keyTarget(metadata), details }, context);
      if (options.json) return writeLine(context.stdout, JSON.stringify({ key, ...metadata }, null, 2));
      if (readsSharedSource(metadata)) await writeLine(context.stderr, SHARED_SOURCE);
      await writeLine(context.stderr, `Created ${metadata.id}. The key is shown this once:`);
      await writeLine(context.stdout, key);
    })
    .addHelpText(
      "after",
      '\nExamples:\n  $ sextant keys create --name "my app"\n  $ sextant keys create --name billing --source billing --scopes inference,traces:read\n  $ sextant keys create --name dashboards --scopes traces:read:all --expires 90d\n' +
        "  $ sextant keys create --name interns --requests-per-minute 60 --usd-per-month 25 --max-usd-per-request 0.05",
    );
}

const readsSharedSource = ({ source, scopes }: ApiKeyMetadata): boolean =>
  source === null &&
  scopes.includes("traces:read") &&
  !scopes.includes("traces:read:all") &&
  !scopes.includes("admin");

const SHARED_SOURCE =
  "The key may read the traces, prompts included, of the source `default`, which all keys without --source share.";
