import type { Provider, ServedModel } from "../api/providers.js";
import { duration, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { BreakerPill } from "./breaker-pill.js";
import { retiredLast, retirementOf } from "./retirement.js";

const PRICE_SOURCES: Readonly<Record<NonNullable<ServedModel["price_source"]>, string>> = {
  settings: "settings",
  price_list: "public list",
};

/** What a provider serves, with the prices in force and what recent calls say. */
export function ServedModels({ provider }: { readonly provider: Provider }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-wrap provider-models" aria-label={`Models of ${provider.id}`} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Upstream name</th>
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
            <th scope="col">Breaker</th>
            <th scope="col" class="right">
              Errors
            </th>
            <th scope="col" class="right">
              First token
            </th>
          </tr>
        </thead>
        <tbody>
          {retiredLast(provider.models, Date.now()).map(
            ({
              model,
              upstream_model: upstream,
              price,
              price_source: source,
              retires_at: retires,
              context_tokens: context,
              health,
              processes,
            }) => (
              <tr key={`${model} ${upstream}`}>
                <th scope="row" class="clip" title={model}>
                  <Plain text={model} />
                </th>
                <td class="clip muted">{upstream === model ? "the same" : <Plain text={upstream} />}</td>
                <td class="right">{price?.input_usd_per_mtok ?? UNKNOWN}</td>
                <td class="right">{price?.cached_input_usd_per_mtok ?? UNKNOWN}</td>
                <td class="right">{price?.output_usd_per_mtok ?? UNKNOWN}</td>
                <td class="muted">{source === null ? UNKNOWN : PRICE_SOURCES[source]}</td>
                <td>{retires === null ? UNKNOWN : <Retirement day={retires} />}</td>
                <td class="right">{context === null ? UNKNOWN : shortCount(context)}</td>
                <td>
                  <BreakerPill state={health.state} />
                  {areDifferent(processes) && (
                    <span class="muted small">
                      {" "}
                      in {processes[health.state]} of {total(processes)} processes
                    </span>
                  )}
                </td>
                <td class="right">{percent(health.error_rate)}</td>
                <td class="right">{duration(health.p50_ttft_ms)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

const total = ({ closed, half_open: halfOpen, open }: ServedModel["processes"]): number =>
  closed + halfOpen + open;

/** Whether breakers of several processes are in different states. */
const areDifferent = (processes: ServedModel["processes"]): boolean =>
  Math.max(processes.closed, processes.half_open, processes.open) < total(processes);

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
