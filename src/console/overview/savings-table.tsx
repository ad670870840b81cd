import type { Savings } from "../api/savings.js";
import { points, rangeOf } from "../components/estimates.js";
import { count, dollars, percent, share } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";

interface SavingsTableProps {
  readonly savings: Savings;
  /** A model to compare with beside the best ones. */
  readonly versus: string | null;
  readonly onVersus: (model: string) => void;
}

/** Models of the table: those with the highest expected quality. */
const SHOWN = 3;

/** What decisions were expected to save against always something else. */
export function SavingsTable({ savings, versus, onVersus }: SavingsTableProps) {
  const { best, models, matching, sampled, decided } = savings;
  if (best === null) return null;
  const shown = models.filter(({ model }, at) => at < SHOWN || model === versus);
  return (
    <section class="stack" aria-labelledby="savings-title">
      <div>
        <h2 id="savings-title">Spend saved, as expected</h2>
        <p class="muted small">
          By the expectations that decisions had, not by bills, over {count(decided)} routed requests
          {sampled < matching &&
            ` of ${count(sampled)} read, drawn evenly from ${count(matching)} (${percent(share(sampled, matching))}); savings are scaled to all`}
          . Quality given up is the expected quality of the other, less that of what was decided.
        </p>
      </div>
      <TableFrame label="Spend saved">
        <thead>
          <tr>
            <th scope="col">Instead of always</th>
            <th scope="col" class="right">
              Per 1,000 requests
            </th>
            <th scope="col" class="right">
              Decided, per 1,000
            </th>
            <th scope="col" class="right">
              Saved
            </th>
            <th scope="col" class="right">
              Quality given up, points
            </th>
          </tr>
        </thead>
        <tbody>
          <SavingsRow name="the best for each prompt" against={best} />
          {shown.map((against) => (
            <SavingsRow key={against.model} name={against.model} against={against} />
          ))}
        </tbody>
      </TableFrame>
      {models.length > SHOWN && (
        <label class="row small">
          <span class="muted">Compare with always</span>
          <select
            class="input versus"
            value={versus ?? ""}
            onChange={(event) => onVersus(event.currentTarget.value)}
          >
            <option value="">…</option>
            {models.map(({ model }) => (
              <option key={model} value={model}>
                {model}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}

interface SavingsRowProps {
  readonly name: string;
  readonly against: NonNullable<Savings["best"]>;
}

function SavingsRow({ name, against }: SavingsRowProps) {
  const perThousand = (usd: number): string => dollars((1000 * usd) / against.requests);
  const { saved_usd: saved } = against;
  return (
    <tr>
      <th scope="row" class="clip">
        <Plain text={name} />
      </th>
      <td class="right">{perThousand(against.cost_usd)}</td>
      <td class="right">{perThousand(against.decided_cost_usd)}</td>
      <td class="right">
        {signedDollars(saved.value)}{" "}
        {saved.low !== saved.high && <span class="muted small">{rangeOf(saved, signedDollars)}</span>}
      </td>
      <td class="right">{points(against.quality - against.decided_quality)}</td>
    </tr>
  );
}

const signedDollars = (usd: number): string => (usd < 0 ? `−${dollars(-usd)}` : dollars(usd));
