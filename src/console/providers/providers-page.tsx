import { listProviders } from "../api/providers.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { DisabledProviders } from "./disabled-providers.js";
import { ProviderCard } from "./provider-card.js";

/** Who runs the models: configured or not, well or not, and for what price. */
export function ProvidersPage() {
  const providers = useResource("providers", listProviders);
  return (
    <>
      <PageHead title="Providers" lead="Providers, the models that they serve, current health and prices.">
        <button class="button" type="button" onClick={providers.reload}>
          Refresh
        </button>
      </PageHead>
      <Loaded resource={providers}>
        {(list) => {
          const enabled = list.filter((provider) => provider.enabled);
          return (
            <>
              {enabled.length === 0 ? (
                <div class="card">
                  <Empty title="No provider is configured">
                    Requests can be routed but not run. Set one of the variables below, and start the gateway
                    again.
                  </Empty>
                </div>
              ) : (
                enabled.map((provider) => (
                  <ProviderCard key={provider.id} provider={provider} isOpen={enabled.length === 1} />
                ))
              )}
              <DisabledProviders providers={list.filter((provider) => !provider.enabled)} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
