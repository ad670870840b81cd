import { Link } from "wouter-preact";
import type { Trace } from "../api/traces.js";
import { Plain } from "../components/plain.js";
import { METADATA } from "./filters.js";

/** The tags of a request; each leads to those that share it. */
export function TraceTags({ metadata }: Pick<Trace, "metadata">) {
  const tags = Object.entries(metadata);
  return (
    <section class="card padded stack" aria-labelledby="tags-title">
      <h2 id="tags-title">Metadata</h2>
      {tags.length === 0 ? (
        <p class="muted">No metadata was sent.</p>
      ) : (
        <dl class="tags">
          {tags.map(([key, value]) => (
            <div key={key}>
              <dt>
                <Plain text={key} />
              </dt>
              <dd>
                <Link href={`/traces?${tagQuery(key, value)}`} title="Show traces with the same value">
                  <Plain text={String(value)} />
                </Link>{" "}
                <Link class="small" href={`/conversation?${tagQuery(key, value)}`}>
                  as conversation
                  <span class="unseen">
                    {" "}
                    of <Plain text={key} />
                  </span>
                </Link>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

const tagQuery = (key: string, value: string | number | boolean): URLSearchParams =>
  new URLSearchParams({ [`${METADATA}${key}`]: String(value) });
