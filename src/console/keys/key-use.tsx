import type { Key } from "../api/keys.js";
import { Bar } from "../components/bar.js";
import { dollars, shortCount } from "../components/format.js";
import { usesOf } from "./uses.js";

/** How much of each limit of a key is used. */
export function KeyUse({ of }: { readonly of: Pick<Key, "use"> }) {
  const uses = usesOf(of);
  if (uses.length === 0) return <span class="muted">no limits</span>;
  return (
    <ul class="key-use">
      {uses.map(({ name, unit, used, limit, ratio }) => (
        <li key={name}>
          <Bar share={Math.min(1, ratio)} look={lookOf(ratio)} />
          <span class="number">
            {unit === "usd"
              ? `${dollars(used)} / ${dollars(limit)} ${name}`
              : `${shortCount(used)} / ${shortCount(limit)} ${name}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

const NEAR = 0.8;

const lookOf = (ratio: number): "plain" | "near" | "full" =>
  ratio >= 1 ? "full" : ratio >= NEAR ? "near" : "plain";
