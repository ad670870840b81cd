import type { Choice, NearestPrompt } from "../api/router.js";
import { percent, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";

interface NearestPromptsProps {
  readonly nearest: readonly NearestPrompt[];
  readonly choices: readonly Choice[];
}

const MOST_MODELS = 6;

/** The profiled prompts that the estimate rests on most, and how the models along the slider did on them. */
export function NearestPrompts({ nearest, choices }: NearestPromptsProps) {
  const models = [...new Set(choices.map(({ model }) => model))].slice(0, MOST_MODELS);
  return (
    <section class="stack" aria-labelledby="nearest-title">
      <div>
        <h2 id="nearest-title">Nearest evidence</h2>
        <p class="muted small">
          The profiled prompts most similar to this one, with the scores of the models on the slider. Profiles
          hold scores, not prompts.
        </p>
      </div>
      <TableFrame label="Nearest profiled prompts">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" class="right">
              Similarity
            </th>
            <th scope="col" class="right">
              Ease
            </th>
            {models.map((model) => (
              <th key={model} scope="col" class="model-head">
                <Plain text={model} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nearest.map(({ benchmark, similarity, ease, scores }, index) => (
            <tr key={`${index}`}>
              <th scope="row">
                <Plain text={benchmark} />
              </th>
              <td class="right">{similarity.toFixed(3)}</td>
              <td class="right">{percent(ease)}</td>
              {models.map((model) => (
                <td key={model} class="right">
                  <Score value={scores[model]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

function Score({ value }: { readonly value: number | undefined }) {
  if (value === undefined) return <span class="muted">{UNKNOWN}</span>;
  const look = value >= 0.99 ? "good" : value <= 0.01 ? "bad" : "";
  return <span class={`pill ${look}`}>{percent(value)}</span>;
}
