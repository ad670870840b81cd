import type { Provider, ServedModel } from "../api/providers.js";
import { duration, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { BreakerPill } from "./breaker-pill.js";
import { retiredLast, retirementOf } from "./retirement.js";

const PRICE_SOURCES: Readonly<Record<NonNullable<ServedModel["price_source"]>, string>> = {
  settings: "settings",
  price_list: "public list",
};

/** What a provider serves, with what recent calls say, the prices in force and their source. */
export function ServedModels({ provider }: { readonly provider: Provider }) {
  return (
    <TableFrame label={`Models of ${provider.id}`} class="provider-models">
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">Breaker</th>
          <th scope="col" class="right">
            Errors
          </th>
          <th scope="col" class="right">
            First token
          </th>
          <th scope="col" class="right">
            Input $/M
          </th>
          <th scope="col" class="right">
            Cached $/M
          </th>
          <th scope="col" class="right">
            Output $/M
          </th>
          <th scope="col" title="The gateway's settings, or the public price list that is part of it">
            Price from
          </th>
          <th scope="col" title="The day on which the provider stops serving it, by its announcements">
            Retires
          </th>
          <th scope="col" class="right">
            Context
          </th>
        </tr>
      </thead>
      <tbody>
        {retiredLast(provider.models, Date.now()).map((served) => (
          <Row key={`${served.model} ${served.upstream_model}`} served={served} />
        ))}
      </tbody>
    </TableFrame>
  );
}

function Row({ served }: { readonly served: ServedModel }) {
  const { model, upstream_model: upstream, price, price_source: source, retires_at: retires } = served;
  const { context_tokens: context, health } = served;
  return (
    <tr>
      <th scope="row" class="clip" title={upstream === model ? model : `${model}, there ${upstream}`}>
        <span class="two-lines">
          <Plain text={model} />
          {upstream !== model && (
            <span class="muted small">
              <Plain text={upstream} />
            </span>
          )}
        </span>
      </th>
      <td>
        <Breaker served={served} />
      </td>
      <td class="right">{percent(health.error_rate)}</td>
      <td class="right">{duration(health.p50_ttft_ms)}</td>
      <td class="right">{price?.input_usd_per_mtok ?? UNKNOWN}</td>
      <td class="right">{price?.cached_input_usd_per_mtok ?? UNKNOWN}</td>
      <td class="right">{price?.output_usd_per_mtok ?? UNKNOWN}</td>
      <td class="muted">{source === null ? UNKNOWN : PRICE_SOURCES[source]}</td>
      <td>{retires === null ? UNKNOWN : <Retirement day={retires} />}</td>
      <td class="right">{context === null ? UNKNOWN : shortCount(context)}</td>
    </tr>
  );
}

/** The worst state of any process, and of how many where they differ. */
function Breaker({ served: { health, processes } }: { readonly served: ServedModel }) {
  const all = processes.closed + processes.half_open + processes.open;
  const inState = processes[health.state];
  return (
    <>
      <BreakerPill state={health.state} />
      {inState < all && (
        <span class="muted small">
          {" "}
          in {inState} of {all} processes
        </span>
      )}
    </>
  );
}

function Retirement({ day }: { readonly day: string }) {
  switch (retirementOf(day, Date.now())) {
    case "retired":
      return <span class="pill">retired {day}</span>;
    case "soon":
      return <span class="pill warn">{day}</span>;
    default:
      return <span>{day}</span>;
  }
}
