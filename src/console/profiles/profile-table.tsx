import { useSearchParams } from "wouter-preact";
import type { Profile, Profiles } from "../api/profiles.js";
import { Bar } from "../components/bar.js";
import { count, dollars, percent, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { BasisPill } from "./basis-pill.js";
import { bestBenchmarks } from "./best-benchmarks.js";

interface ProfileTableProps {
  readonly profiles: Profiles;
  readonly chosen: string | undefined;
  readonly onChoose: (model: string) => void;
}

/** Models with fewer graded answers are shown in grey (a guess: ± .05 on a quality of .5). */
const ENOUGH_SAMPLES = 100;

const ORDERS = {
  quality: (left: Profile, right: Profile) => right.expected_quality - left.expected_quality,
  cost: (left: Profile, right: Profile) =>
    (left.mean_cost_usd ?? Number.POSITIVE_INFINITY) - (right.mean_cost_usd ?? Number.POSITIVE_INFINITY),
  samples: (left: Profile, right: Profile) => right.samples - left.samples,
  model: (left: Profile, right: Profile) => left.model.localeCompare(right.model),
} as const;

export function ProfileTable({ profiles, chosen, onChoose }: ProfileTableProps) {
  const [query, setQuery] = useSearchParams();
  const part = query.get("q") ?? "";
  const order = orderNamed(query.get("order"));
  const set = (name: "q" | "order", value: string): void =>
    setQuery(
      (last) => {
        if (value === "" || value === "quality") last.delete(name);
        else last.set(name, value);
        return last;
      },
      { replace: true },
    );
  const shown = profiles.list
    .filter(({ model }) => model.toLowerCase().includes(part.toLowerCase()))
    .toSorted(ORDERS[order]);
  return (
    <div class="stack">
      <div class="row">
        <input
          class="input filter"
          type="search"
          aria-label="Part of a model's name"
          placeholder="Filter by name"
          value={part}
          onInput={(event) => set("q", event.currentTarget.value)}
        />
        <label class="row small">
          <span class="muted">Order by</span>
          <select
            class="input narrow"
            value={order}
            onChange={(event) => set("order", event.currentTarget.value)}
          >
            <option value="quality">expected quality</option>
            <option value="cost">mean cost</option>
            <option value="samples">samples</option>
            <option value="model">name</option>
          </select>
        </label>
        <span class="muted small" role="status">
          {count(shown.length)} shown
        </span>
      </div>
      <TableFrame label="Profiles" scrolls="page" class="card profiles">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col" title="Over all topics, adjusted for the difficulty of prompts">
              Expected quality ± error
            </th>
            <th scope="col">Basis</th>
            <th
              scope="col"
              class="right"
              title={`Graded answers; models with fewer than ${ENOUGH_SAMPLES} are grey`}
            >
              Samples
            </th>
            <th scope="col" class="right">
              Mean cost
            </th>
            <th
              scope="col"
              class="right"
              title="Observed answer tokens, as a multiple of the profile's expectation"
            >
              Answer length
            </th>
            <th scope="col" title="Benchmark on which it is furthest above the mean of all models, in points">
              Strongest
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((profile) => (
            <tr key={profile.model} class={lookOf(profile, chosen)}>
              <th scope="row" class="clip">
                <button class="link" type="button" onClick={() => onChoose(profile.model)}>
                  <Plain text={profile.model} />
                </button>
                {profile.dominated_by !== null && (
                  <span
                    class="pill warn beside"
                    title={`Never chosen: ${dominatedText(profile.dominated_by)}`}
                  >
                    dominated
                  </span>
                )}
              </th>
              <td>
                <span class="bar-cell">
                  <Bar share={profile.expected_quality} error={profile.quality_stderr} />
                  <span class="number">
                    {percent(profile.expected_quality)}{" "}
                    <span class="muted">± {percent(profile.quality_stderr)}</span>
                  </span>
                </span>
              </td>
              <td>
                <BasisPill basis={profile.basis} />
              </td>
              <td class="right">{count(profile.samples)}</td>
              <td class="right">{dollars(profile.mean_cost_usd)}</td>
              <td class="right">{lengthRatio(profile)}</td>
              <td>
                <Strongest benchmarks={bestBenchmarks(profile.model, profiles)} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </div>
  );
}

interface StrongestProps {
  readonly benchmarks: ReturnType<typeof bestBenchmarks>;
}

function Strongest({ benchmarks }: StrongestProps) {
  if (benchmarks.length === 0) return <span class="muted">{UNKNOWN}</span>;
  return (
    <span class="pills best-benchmarks">
      {benchmarks.map(({ benchmark, lead }) => (
        <span key={benchmark} class="pill good" title={benchmark}>
          <Plain text={benchmark} /> <span>+{Math.round(lead * 100)}</span>
        </span>
      ))}
    </span>
  );
}

/** Why an effort is never chosen. */
export const dominatedText = (by: string): string => `${by} is no worse by the profiles and costs no more`;

const orderNamed = (name: string | null): keyof typeof ORDERS =>
  name !== null && Object.hasOwn(ORDERS, name) ? (name as keyof typeof ORDERS) : "quality";

const lookOf = ({ model, samples }: Profile, chosen: string | undefined): string =>
  [model === chosen ? "chosen" : "", samples < ENOUGH_SAMPLES ? "dim" : ""].join(" ").trim();

const lengthRatio = ({ length_correction: correction }: Profile): string =>
  correction === null ? UNKNOWN : `×${correction.ratio.toFixed(2)} (${count(correction.answers)})`;
