import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./controls.js";
import { csvOf } from "./csv.js";
import { count, dollars } from "./format.js";
import { Section } from "./page.js";
import { Empty } from "./resource.js";
import { saveFile } from "./save-file.js";
import { ScrollArea } from "./scroll-area.js";
import { named, Plain } from "./text.js";
import { useQuery } from "./use-query.js";

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
  /** The orders that the head offers, instead of its text. */
  readonly sorts?: readonly { readonly by: Sort; readonly label: string }[];
  /** What the rows can be ordered by here and are saved as, each under its name; the label stands instead of the head. */
  readonly values?: readonly {
    readonly name: string;
    readonly label?: string;
    readonly of: (row: Row) => number | string | null;
  }[];
  readonly cell: (row: Row, at: number) => ComponentChildren;
}

/** A column of figures. */
export const numeric = <Row,>(
  head: string,
  cell: Column<Row>["cell"],
  more: Pick<Column<Row>, "hint" | "headLook" | "values"> = {},
): Column<Row> => ({ head, kind: "numeric", cell, ...more });

/** The last column: what can be done to each. */
export const actions = <Row,>(cell: Column<Row>["cell"]): Column<Row> => ({
  head: "Actions",
  kind: "unseen",
  look: "right",
  cell,
});

/** A column of US dollars; with a name, the rows can be ordered by them and are saved with them. */
export const priced = <Row,>(
  head: string,
  of: (row: Row) => number | null,
  { name, ...more }: { readonly name?: string; readonly hint?: string } = {},
): Column<Row> =>
  numeric(head, (row) => dollars(of(row)), {
    ...more,
    ...(name !== undefined && { values: [{ name, of }] }),
  });

interface Sorting<Sort extends string> {
  readonly sort: Sort;
  readonly order: "desc" | "asc";
}

interface TableProps<Row, Sort extends string> {
  /** Names it for screen readers. */
  readonly label?: string;
  /** Rows that are drawn until all are asked for; default 100. */
  readonly first?: number;
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
  /** Of what it scrolls in. */
  readonly class?: string;
  /** `page`: its columns fit into a wide window, so that its head stays in view while the page scrolls. */
  readonly scrolls?: "page" | "itself";
  /** What is said instead of a table without rows. */
  readonly empty?: { readonly title: string; readonly text: string };
  /** Lets its columns with `values` order the rows, and saves them as CSV; the order is in the address under this name. */
  readonly ordered?: string;
  /** Makes it a section with this title. */
  readonly title?: ComponentChildren;
  /** Filters and buttons above the table, beside the title and the button that saves it. */
  readonly tools?: ComponentChildren;
}

/** A table with hairlines. Where it does not fit it scrolls by itself; on narrow screens each row takes several lines. */
export function TableFrame<Row, Sort extends string>({
  label,
  scrolls = "itself",
  class: look = "",
  empty,
  ordered,
  title,
  tools,
  ...table
}: TableFrameProps<Row, Sort>) {
  const { sorting: _sorting, onSort: _onSort, ...plain } = table;
  const isEmpty = empty !== undefined && table.rows.length === 0;
  const actions = (
    <>
      {tools}
      {ordered !== undefined && !isEmpty && (
        <Button
          look="slim quiet"
          aria-label={`CSV of ${label}`}
          onClick={() => saveFile(new Blob([csvOf(table)], { type: "text/csv" }), `${fileName(label)}.csv`)}
        >
          CSV
        </Button>
      )}
    </>
  );
  const body = isEmpty ? (
    <Empty title={empty.title}>{empty.text}</Empty>
  ) : (
    <ScrollArea label={label} class={`table-wrap ${scrolls === "page" ? "with-page" : ""} ${look}`}>
      {ordered === undefined ? <Table {...table} /> : <OrderedTable {...plain} name={ordered} />}
    </ScrollArea>
  );
  if (title !== undefined)
    return (
      <Section title={title} actions={actions}>
        {body}
      </Section>
    );
  return (
    <div class="section">
      {(tools !== undefined || (ordered !== undefined && !isEmpty)) && (
        <div class="row table-tools">{actions}</div>
      )}
      {body}
    </div>
  );
}

const fileName = (label: string): string => label.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** Null comes last in both directions. */
function compared(left: number | string | null, right: number | string | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return typeof left === "number" && typeof right === "number"
    ? right - left
    : String(left).localeCompare(String(right));
}

/** In the order that the address has for it: `spend`, the largest or first first, or `-spend`. */
function OrderedTable<Row>({ name, ...table }: TableProps<Row, string> & { readonly name: string }) {
  const [query, change] = useQuery();
  const asked = query.get(name) ?? "";
  const by = asked.replace(/^-/, "");
  const isReversed = asked.startsWith("-");
  const of = table.columns.flatMap(({ values = [] }) => values).find((value) => value.name === by)?.of;
  const sign = isReversed ? -1 : 1;
  // Texts begin with the first, figures with the largest.
  const isText = of !== undefined && table.rows.some((row) => typeof of(row) === "string");
  const rows =
    of === undefined
      ? table.rows
      : table.rows.toSorted((left, right) => {
          const [one, other] = [of(left), of(right)];
          return one === null || other === null ? compared(one, other) : sign * compared(one, other);
        });
  const columns = table.columns.map((column) =>
    column.values === undefined
      ? column
      : {
          ...column,
          sorts: column.values.map((value) => ({ by: value.name, label: value.label ?? column.head })),
        },
  );
  return (
    <Table
      {...table}
      columns={columns}
      rows={rows}
      sorting={{ sort: by, order: isText === isReversed ? "desc" : "asc" }}
      onSort={({ sort }) => change({ [name]: sort === by && !isReversed ? `-${sort}` : sort })}
    />
  );
}

/** Rows that are drawn until all are asked for: a thousand take seconds to lay out, and again at each letter of a filter. */
const MOST_DRAWN = 100;

/** Of a long one the first rows, with a button that draws all and leads to the first of the others. */
export function Table<Row, Sort extends string>(props: TableProps<Row, Sort>) {
  const { columns, rows, first = MOST_DRAWN } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [isWhole, setWhole] = useState(false);
  useLayoutEffect(() => {
    if (isWhole) body.current?.rows[first]?.querySelector<HTMLElement>("a, button")?.focus();
  }, [isWhole]);
  const isCut = rows.length > first && !isWhole;
  return (
    <table class="table" aria-label={props.label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.head} {...props} column={column} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {(isCut ? rows.slice(0, first) : rows).map((row, at) => (
          <TableRow key={props.keyOf(row, at)} {...props} row={row} at={at} />
        ))}
      </tbody>
      {isCut && (
        <tfoot>
          <tr>
            <td colSpan={columns.length}>
              <Button look="slim" onClick={() => setWhole(true)}>
                Show all {count(rows.length)} rows
              </Button>
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface RowProps<Row, Sort extends string> extends Pick<TableProps<Row, Sort>, "columns" | "lookOf"> {
  readonly row: Row;
  readonly at: number;
}

function TableRow<Row, Sort extends string>({ columns, lookOf, row, at }: RowProps<Row, Sort>) {
  return (
    <tr class={lookOf?.(row, at)}>
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
