import type { Routing } from "../api/router.js";
import { count, dollars, percent, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { promptText } from "./prompt-text.js";

const MOST_CANDIDATES = 12;
const SOURCES = { dollars: "recorded dollars", tokens: "counted tokens", none: "nothing recorded" } as const;

/** What an explained decision rests on: what was read of the prompt, the parts of expected costs, and the prompts that decided. */
export function Why({ routing }: { readonly routing: Routing }) {
  const { prompt, anchors = [], candidates } = routing;
  if (prompt === undefined) return null;
  return (
    <>
      <section class="stack" aria-labelledby="parts-title">
        <div>
          <h2 id="parts-title">What the costs are made of</h2>
          <p class="muted small">{promptText(prompt)}</p>
        </div>
        <Parts candidates={candidates.slice(0, MOST_CANDIDATES)} />
        <p class="muted small">
          Visible: by the prompt's text × measured answers near it × the model. Hidden: of the model at its
          effort on a prompt of medium difficulty × difficulty. Bill: what is billed over the price of these
          tokens, and what it was learned from.
        </p>
      </section>
      <section class="stack" aria-labelledby="anchors-title">
        <h2 id="anchors-title">What decided</h2>
        <TableFrame label="Profiled prompts that decided">
          <thead>
            <tr>
              <th scope="col">Profiled prompt</th>
              <th scope="col">From</th>
              <th scope="col" class="right">
                Similarity
              </th>
              <th scope="col" class="right">
                Weight
              </th>
            </tr>
          </thead>
          <tbody>
            {anchors.map(({ id, source, similarity, weight }) => (
              <tr key={id}>
                <th scope="row">
                  <code>{id}</code>
                </th>
                <td>
                  <Plain text={source} />
                </td>
                <td class="right">{similarity.toFixed(3)}</td>
                <td class="right">{percent(weight)}</td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      </section>
    </>
  );
}

function Parts({ candidates }: Pick<Routing, "candidates">) {
  return (
    <TableFrame label="Parts of the expected costs">
      <thead>
        <tr>
          <th scope="col">Candidate</th>
          <th scope="col">Visible tokens</th>
          <th scope="col">Hidden tokens</th>
          <th scope="col">In use</th>
          <th scope="col">Bill</th>
          <th scope="col" class="right">
            Per million, in and out
          </th>
        </tr>
      </thead>
      <tbody>
        {candidates.map(
          ({ model, parts }) =>
            parts !== undefined && (
              <tr key={model}>
                <th scope="row" class="clip">
                  <Plain text={model} />
                </th>
                <td>
                  {count(Math.round(parts.visible_tokens))}{" "}
                  <span class="muted">
                    near × {factor(parts.nearby_ratio)}, model × {factor(parts.model_ratio)}
                  </span>
                </td>
                <td>
                  {count(Math.round(parts.hidden_tokens))}{" "}
                  <span class="muted">
                    = {count(Math.round(parts.hidden_tokens_medium))} × {factor(parts.difficulty_factor)}
                  </span>
                </td>
                <td>× {factor(parts.length_correction)}</td>
                <td>
                  × {factor(parts.bill_ratio)} <span class="muted">{SOURCES[parts.bill_source]}</span>
                  {parts.agent_task !== null && (
                    <span class="muted">
                      , {Math.round(100 * parts.agent_task.share)} % of {dollars(parts.agent_task.usd)} for an
                      agent's task
                    </span>
                  )}
                </td>
                <td class="right">
                  {parts.input_usd_per_mtok === null
                    ? UNKNOWN
                    : `${dollars(parts.input_usd_per_mtok)}, ${dollars(parts.output_usd_per_mtok)}`}
                </td>
              </tr>
            ),
        )}
      </tbody>
    </TableFrame>
  );
}

const factor = (value: number): string => value.toPrecision(2);
