import type { Trace } from "../api/traces.js";
import { count, dollars } from "../components/format.js";
import { Section } from "../components/page.js";
import { Table } from "../components/table.js";

const ROWS: readonly { readonly name: string; readonly tokens: string; readonly cost: string }[] = [
  { name: "Prompt", tokens: "prompt_tokens", cost: "input_cost_usd" },
  { name: "Answer", tokens: "completion_tokens", cost: "output_cost_usd" },
  { name: "Cached prompt", tokens: "", cost: "cache_input_cost_usd" },
  { name: "Total", tokens: "total_tokens", cost: "total_cost_usd" },
];

/** Tokens and dollars of the calls before the one that answered. */
function failedUsage({ usage, attempts }: Pick<Trace, "usage" | "attempts">) {
  const failed = usage === null ? attempts : attempts.slice(0, -1);
  const used = failed.flatMap((attempt) => attempt.usage ?? []);
  if (used.length === 0) return null;
  const tokens = used.reduce((sum, call) => sum + call.prompt_tokens + call.completion_tokens, 0);
  return { tokens, cost: used.reduce((sum, call) => sum + (call.total_cost_usd ?? 0), 0) };
}

/** What was used, and what it cost. */
export function TraceUsage({
  usage,
  attempts,
  cost_usd: total,
}: Pick<Trace, "usage" | "attempts" | "cost_usd">) {
  const failed = failedUsage({ usage, attempts });
  const figure = (name: string): number | null => {
    const value = usage?.[name];
    return typeof value === "number" ? value : null;
  };
  return (
    <Section title="Usage and cost">
      {usage === null ? (
        <p class="muted">Nothing was generated.</p>
      ) : (
        <Table
          class="plain-table"
          rows={ROWS}
          keyOf={({ name }) => name}
          columns={[
            { head: "Part", cell: ({ name }) => name },
            { head: "Tokens", kind: "numeric", cell: ({ tokens }) => count(figure(tokens)) },
            { head: "Cost", kind: "numeric", cell: ({ cost }) => dollars(figure(cost)) },
          ]}
        />
      )}
      {failed !== null && (
        <p class="small">
          Failed attempts used {count(failed.tokens)} tokens for {dollars(failed.cost)}. The whole request
          cost {dollars(total)}.
        </p>
      )}
      {usage?.estimated === true && (
        <p class="muted small">The provider reported no token count; the gateway counted the tokens.</p>
      )}
    </Section>
  );
}
