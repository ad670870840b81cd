import { useId, useState } from "preact/hooks";
import { Plain } from "../components/text.js";
import { METADATA } from "./filters.js";

/** How the list of traces is shown, in this browser: its columns beside time and prompt, and whether turns are grouped. */
export interface TableView {
  readonly columns: readonly string[];
  readonly isGrouped: boolean;
}

/** Columns to choose, beside the keys of metadata. */
export const COLUMN_NAMES = {
  model: "Model",
  requested: "Asked for",
  provider: "Provider",
  key: "Key",
  source: "Source",
  kind: "Kind",
  error: "Error",
  tokens_in: "Tokens in",
  tokens_out: "Tokens out",
  cost: "Cost",
  latency: "Latency",
} as const;
export type ColumnName = keyof typeof COLUMN_NAMES;

const STORED = "sextant-traces";
const USUAL: TableView = { columns: ["model", "key", "cost", "latency"], isGrouped: false };

function stored(): TableView {
  try {
    const { columns, isGrouped } = JSON.parse(localStorage.getItem(STORED) ?? "");
    const known = columns.map(String).filter((name: string) => isTag(name) || name in COLUMN_NAMES);
    return { columns: known, isGrouped: isGrouped === true };
  } catch {
    return USUAL;
  }
}

export function useTableView() {
  const [view, setView] = useState(stored);
  const change = (next: TableView): void => {
    localStorage.setItem(STORED, JSON.stringify(next));
    setView(next);
  };
  return { view, change };
}

interface ViewMenuProps {
  readonly view: TableView;
  readonly onChange: (view: TableView) => void;
  /** Of the metadata in the list. */
  readonly keys: readonly string[];
}

export function ViewMenu({ view, onChange, keys }: ViewMenuProps) {
  const id = useId();
  const { columns, isGrouped } = view;
  const tags = [...new Set([...keys.map((key) => METADATA + key), ...columns.filter(isTag)])];
  const names = [...Object.keys(COLUMN_NAMES), ...tags];
  // In the order of the menu, whatever was chosen first.
  const without = (name: string) => columns.filter((one) => one !== name);
  const toggle = (name: string): void => {
    const next = columns.includes(name)
      ? without(name)
      : names.filter((one) => one === name || columns.includes(one));
    onChange({ ...view, columns: next });
  };
  return (
    <>
      <button class="button slim" type="button" popovertarget={id}>
        Columns
      </button>
      <fieldset id={id} class="menu-list view-menu" popover="auto">
        <legend class="unseen">Columns</legend>
        <label class="tick">
          <input
            type="checkbox"
            checked={isGrouped}
            onChange={() => onChange({ ...view, isGrouped: !isGrouped })}
          />
          <span>Group turns by conversation</span>
        </label>
        {names.map((name) => (
          <label key={name} class="tick">
            <input type="checkbox" checked={columns.includes(name)} onChange={() => toggle(name)} />
            <span>
              <Plain text={isTag(name) ? name.slice(METADATA.length) : COLUMN_NAMES[name as ColumnName]} />
            </span>
          </label>
        ))}
      </fieldset>
    </>
  );
}

const isTag = (name: string): boolean => name.startsWith(METADATA);
