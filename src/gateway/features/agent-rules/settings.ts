import { z } from "zod";
import { field } from "../../settings/field.js";

/** What coding agents ask for beside the user's turns. */
const AGENT_CALLS = ["title", "summary", "compaction", "sub-agent"] as const;
export type AgentCall = (typeof AGENT_CALLS)[number];

const ruleSchema = z.strictObject({ when: z.enum(AGENT_CALLS), use: z.string().min(1) });
export type AgentRule = Readonly<z.infer<typeof ruleSchema>>;

/** Weights are guesses: the less of a conversation rests on an answer, the higher. */
const USUAL_RULES: readonly AgentRule[] = [
  { when: "title", use: "auto:0.9" },
  { when: "summary", use: "auto:0.8" },
  { when: "sub-agent", use: "auto:0.6" },
  { when: "compaction", use: "auto:0.4" },
];

export const agentRulesSettings = {
  agentRules: field(
    z.union([z.literal("usual").transform(() => USUAL_RULES), z.array(ruleSchema)]).default([]),
    "Which model answers what [coding agents](tools.md#rules) ask for beside the user's turns. Each rule says `when` (`title`, " +
      "`summary`, `compaction`, `sub-agent`) and what to `use` in place of the model that the request names: a model, " +
      "`auto:0.6`, a preset. The first that fits applies. `usual`: `auto:0.9` for titles, `auto:0.8` for summaries, `auto:0.6` " +
      "for sub-agents, `auto:0.4` for compactions. Default: none.",
    { expects: "`usual`, or a list of rules, each with `when` and `use`" },
  ),
};
