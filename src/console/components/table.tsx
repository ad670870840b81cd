import type { ComponentChildren } from "preact";
import { Empty } from "./resource.js";
import { ScrollArea } from "./scroll-area.js";
import { named, Plain } from "./text.js";

export interface Column<Row, Sort extends string = string> {
  /** Text, whatever it holds; each cell repeats it where a row is a card (`styles/tables.css`). */
  readonly head: string;
  /** `unseen`: for screen readers only, and not repeated. `numeric`: aligned at the right, with its cells. */
  readonly kind?: "unseen" | "numeric";
  /** Explains the head. */
  readonly hint?: string;
  /** Classes of the cells, and of the head. */
  readonly look?: string;
  readonly headLook?: string;
  /** Tooltip of a cell. */
  readonly titleOf?: (row: Row) => string;
  /** The orders that the head offers, in the place of its text. */
  readonly sorts?: readonly { readonly by: Sort; readonly label: string }[];
  readonly cell: (row: Row, at: number) => ComponentChildren;
}

/** The cells of a column whose figures are written alike, so that they can be compared at a glance. */
export function cellOf<Row>(
  alike: (values: readonly (number | null)[]) => (value: number | null) => string,
  rows: readonly Row[],
  figure: (row: Row) => number | null,
): (row: Row) => string {
  const format = alike(rows.map(figure));
  return (row) => format(figure(row));
}

/** A column of figures. */
export const numeric = <Row,>(
  head: string,
  cell: Column<Row>["cell"],
  more: Pick<Column<Row>, "hint" | "headLook"> = {},
): Column<Row> => ({ head, kind: "numeric", cell, ...more });

interface Sorting<Sort extends string> {
  readonly sort: Sort;
  readonly order: "desc" | "asc";
}

interface TableProps<Row, Sort extends string> {
  readonly class?: string;
  /** The cells of the first one are the heads of their rows. */
  readonly columns: readonly Column<Row, Sort>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, at: number) => string | number;
  /** Classes of a row. */
  readonly lookOf?: (row: Row, at: number) => string;
  readonly sorting?: Sorting<Sort>;
  readonly onSort?: (sorting: Sorting<Sort>) => void;
}

interface TableFrameProps<Row, Sort extends string> extends TableProps<Row, Sort> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  /** `page`: its columns fit into a wide window, so that its head stays in view while the page scrolls. */
  readonly scrolls?: "page" | "itself";
  /** What is said in the place of a table without rows. */
  readonly empty?: { readonly title: string; readonly text: string };
}

/**
 * A table in a card, or in a frame of the class given. Where it does not fit it scrolls by itself; on narrow screens each row
 * becomes a card.
 */
export function TableFrame<Row, Sort extends string>({
  label,
  scrolls = "itself",
  class: look = "card",
  empty,
  ...table
}: TableFrameProps<Row, Sort>) {
  if (empty !== undefined && table.rows.length === 0) return <Empty title={empty.title}>{empty.text}</Empty>;
  return (
    <ScrollArea label={label} class={`table-wrap ${scrolls === "page" ? "with-page" : ""} ${look}`}>
      <Table {...table} />
    </ScrollArea>
  );
}

export function Table<Row, Sort extends string>(props: TableProps<Row, Sort>) {
  const { class: look = "", columns, rows, keyOf, lookOf } = props;
  return (
    <table class={`table ${look}`}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.head} {...props} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf(row, at)} class={lookOf?.(row, at)}>
            {columns.map((column, place) => {
              const { head, kind, look, titleOf, cell } = column;
              const more = { class: kind === "numeric" ? "right" : look, title: titleOf?.(row) };
              return place === 0 ? (
                <th key={head} scope="row" {...more}>
                  {cell(row, at)}
                </th>
              ) : (
                <td key={head} data-label={kind === "unseen" ? undefined : named(head)} {...more}>
                  {cell(row, at)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps<Row, Sort extends string> extends Pick<TableProps<Row, Sort>, "sorting" | "onSort"> {
  readonly column: Column<Row, Sort>;
}

/** Sorts by the largest first, and again the other way round. */
function Head<Row, Sort extends string>({ column, sorting, onSort }: HeadProps<Row, Sort>) {
  const { head, kind, hint, headLook = kind === "numeric" ? "right" : undefined, sorts = [] } = column;
  const isDown = sorting?.order === "desc";
  const isSorted = sorts.some(({ by }) => by === sorting?.sort);
  const sorted = isSorted ? (isDown ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={headLook} title={hint} aria-sort={sorted}>
      {kind === "unseen" ? <span class="unseen">{head}</span> : sorts.length === 0 && <Plain text={head} />}
      {sorts.map(({ by, label }, at) => {
        const isOwn = by === sorting?.sort;
        return (
          <span key={by}>
            {at > 0 && " / "}
            <button
              class="sort"
              type="button"
              onClick={() => onSort?.({ sort: by, order: isOwn && isDown ? "asc" : "desc" })}
            >
              {label}
              {isOwn && <span aria-hidden="true"> {isDown ? "↓" : "↑"}</span>}
            </button>
          </span>
        );
      })}
    </th>
  );
}
