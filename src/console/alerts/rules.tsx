import type { OperatorSettings } from "../api/settings.js";
import type { Alert } from "./alert-parts.js";
import { Entries } from "./entries.js";

type Rule = Alert["rule"];

/** What each fires on, and its thresholds. */
const RULES: Readonly<Record<Rule, readonly [title: string, thresholds: readonly string[]]>> = {
  budget: ["A budget is nearly or wholly used", []],
  budget_forecast: ["A budget will not last", ["ratio"]],
  spend_rise: ["Spend is above last week's", ["ratio", "min_usd"]],
  error_rate: ["Requests fail", ["share", "minutes", "min_failed"]],
  provider_down: ["A provider is down", ["share"]],
  key_near_limit: ["A key is near its monthly limit", ["share"]],
};

const LABELS: Readonly<Record<string, string>> = {
  ratio: "times the budget, or last week",
  min_usd: "dollars today, at least",
  share: "share, 0 to 1",
  minutes: "minutes",
  min_failed: "failed requests, at least",
};

interface RulesProps {
  readonly of: OperatorSettings;
  readonly onChanged: () => void;
}

/** What alerts fire on. */
export function Rules({ of: { settings, sources, version }, onChanged }: RulesProps) {
  const entries = (Object.keys(RULES) as readonly Rule[]).map((name) => {
    const values: Readonly<Record<string, number>> | false = settings.alerts.rules[name];
    return { name, values: values || undefined, source: sources[`alerts.rules.${name}`] };
  });
  const patch = (name: string, value: Readonly<Record<string, unknown>> | false | null) => ({
    alerts: { rules: { [name]: value } },
    version,
  });
  return (
    <Entries
      what="rule"
      removalOf={({ source }) => source === "console" && "Reset"}
      entries={entries}
      onChanged={onChanged}
      columns={[
        { head: "Fires when", cell: ({ name }) => RULES[name][0] },
        { head: "Rule", cell: ({ name }) => <code>{name}</code> },
        { head: "State", cell: ({ values }) => (values ? "on" : <span class="muted">off</span>) },
        {
          head: "Thresholds",
          cell: ({ values = {} }) =>
            Object.entries(values)
              .map(([name, value]) => `${name} ${value}`)
              .join(", "),
        },
        { head: "Set in", cell: ({ source }) => source },
      ]}
      more={({ name, values }, apply) => [
        { label: values ? "Turn off" : "Turn on", onSelect: () => apply(patch(name, values ? false : {})) },
      ]}
      fieldsOf={(of) =>
        of === undefined
          ? []
          : RULES[of.name][1].map((name) => [
              name,
              LABELS[name] ?? name,
              "number",
              of.values?.[name],
              "Empty: reset.",
            ])
      }
      patchOf={(_now, { name = "", change = null }) => patch(name, change)}
    />
  );
}
