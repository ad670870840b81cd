import type { Sort } from "../api/trace-names.js";
import type { SortOrder } from "./filters.js";

interface SortHeadProps {
  readonly sorts: readonly { readonly by: Sort; readonly label: string }[];
  readonly current: SortOrder;
  readonly onSort: (order: SortOrder) => void;
  readonly right?: true;
}

/** The head of a column that sorts: the largest first, and again the other way round. */
export function SortHead({ sorts, current, onSort, right }: SortHeadProps) {
  const own = sorts.find(({ by }) => by === current.sort);
  return (
    <th
      scope="col"
      class={right ? "right" : undefined}
      aria-sort={own === undefined ? undefined : current.order === "desc" ? "descending" : "ascending"}
    >
      {sorts.map(({ by, label }, at) => (
        <span key={by}>
          {at > 0 && " / "}
          <button
            class="sort"
            type="button"
            onClick={() =>
              onSort({ sort: by, order: by === current.sort && current.order === "desc" ? "asc" : "desc" })
            }
          >
            {label}
            {by === current.sort && <span aria-hidden="true"> {current.order === "desc" ? "↓" : "↑"}</span>}
          </button>
        </span>
      ))}
    </th>
  );
}
