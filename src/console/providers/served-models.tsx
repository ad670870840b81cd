import type { Provider } from "../api/providers.js";
import { duration, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { BreakerPill } from "./breaker-pill.js";

/** What a provider serves, with the prices in force and what recent calls say. */
export function ServedModels({ provider }: { readonly provider: Provider }) {
  return (
    <TableFrame label={`Models of ${provider.id}`} class="provider-models">
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
        {provider.models.map(
          ({ model, upstream_model: upstream, price, context_tokens: context, health }) => (
            <tr key={`${model} ${upstream}`}>
              <th scope="row" class="clip" title={model}>
                <Plain text={model} />
              </th>
              <td class="clip muted">{upstream === model ? "the same" : <Plain text={upstream} />}</td>
              <td class="right">{price?.input_usd_per_mtok ?? UNKNOWN}</td>
              <td class="right">{price?.cached_input_usd_per_mtok ?? UNKNOWN}</td>
              <td class="right">{price?.output_usd_per_mtok ?? UNKNOWN}</td>
              <td class="right">{context === null ? UNKNOWN : shortCount(context)}</td>
              <td>
                <BreakerPill state={health.state} />
              </td>
              <td class="right">{percent(health.error_rate)}</td>
              <td class="right">{duration(health.p50_ttft_ms)}</td>
            </tr>
          ),
        )}
      </tbody>
    </TableFrame>
  );
}
