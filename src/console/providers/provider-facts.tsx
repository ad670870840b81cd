import type { Provider } from "../api/providers.js";
import type { Cause, Point } from "../api/statistics.js";
import { totalsOf } from "../charts/figures.js";
import { count, duration, percent, share } from "../components/format.js";
import { Moment, Plain } from "../components/text.js";
import { errorLook } from "./provider-health.js";

interface ProviderFactsProps {
  readonly provider: Provider;
  /** The requests that it answered or was tried last for, over the range; undefined without any, and while they are not known. */
  readonly total: Point | undefined;
}

/** What a provider did, in a line. */
export function ProviderFacts({ provider: { models }, total }: ProviderFactsProps) {
  const sums = total && totalsOf([total]);
  const failed = sums && share(sums.failed, sums.requests);
  return (
    <span class="provider-facts muted small">
      {count(models.length)} {models.length === 1 ? "model" : "models"}
      {sums !== undefined && ` · ${count(sums.requests)} requests`}
      {total?.latency_ms && ` · p50 ${duration(total.latency_ms.p50)}`}
      {typeof failed === "number" && (
        <>
          {" "}
          <span class={`pill ${errorLook(failed)}`}>{percent(failed)} failed</span>
        </>
      )}
    </span>
  );
}

/** What went wrong with a provider last; nothing where nothing did. */
export function LastCause({ of }: { readonly of: Cause | undefined }) {
  if (of === undefined) return null;
  const { code, status, message, model, last_seen: at } = of;
  return (
    <span class="provider-error small">
      <span class="bad-figure">
        {code}
        {status !== null && `, HTTP ${status}`}
      </span>{" "}
      <span class="muted">
        <Moment at={at} />
        {model !== null && (
          <>
            , <Plain text={model} />
          </>
        )}
        {message !== null && (
          <>
            : <Plain text={message.slice(0, MOST_CHARACTERS)} />
          </>
        )}
      </span>
    </span>
  );
}

const MOST_CHARACTERS = 160;
