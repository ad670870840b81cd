import type { Trace } from "../api/traces.js";
import { changePercent, changeSince, count, dollars } from "../components/format.js";
import { Section } from "../components/page.js";
import { numeric, priced, Table } from "../components/table.js";
import { type BillPart, billDifference, billParts, failedUsage } from "./bill.js";

/** What was used, and what it cost. */
export function TraceUsage({ trace }: { readonly trace: Trace }) {
  const { usage, cost_usd: total } = trace;
  const failed = failedUsage(trace);
  const parts = usage === null ? [] : billParts(usage);
  return (
    <Section title="Usage and cost">
      {usage === null ? (
        <p class="muted">Nothing was generated.</p>
      ) : (
        <Table
          rows={parts}
          keyOf={({ name }) => name}
          columns={[
            { head: "Part", cell: ({ name }) => name },
            numeric<BillPart>("Tokens", ({ tokens }) => count(tokens)),
            numeric<BillPart>("× $/M", (row) => (row.usdPerMtok === null ? "" : dollars(row.usdPerMtok)), {
              hint: "US dollars per million tokens, as the cost comes to; with the surcharge of tokens written to a cache, where there are any",
            }),
            priced<BillPart>("= Cost", ({ usd }) => usd),
          ]}
        />
      )}
      <Expected trace={trace} />
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

/** Why the bill is not what the decision expected. */
function Expected({ trace }: { readonly trace: Trace }) {
  const difference = billDifference(trace);
  if (difference === null) return null;
  const { expectedUsd, billedUsd, expectedTokens, tokens, byLengthUsd, byRestUsd } = difference;
  const change = changeSince(expectedUsd, billedUsd);
  const signed = (usd: number): string => (usd < 0 ? dollars(usd) : `+${dollars(usd)}`);
  return (
    <p class="small">
      Expected {dollars(expectedUsd)}, billed {dollars(billedUsd)}
      {change === null ? "" : ` (${changePercent(change)})`}: {signed(byLengthUsd)} because the answer has{" "}
      {count(tokens)} tokens instead of {count(Math.round(expectedTokens))}, {signed(byRestUsd)} by prompt,
      cache and price.
    </p>
  );
}
