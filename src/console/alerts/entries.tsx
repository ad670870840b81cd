import { useId, useState } from "preact/hooks";
import { changeSettings, type SettingsPatch } from "../api/settings.js";
import { Button, Field, Suggestions } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Menu } from "../components/menu.js";
import { Notice, useAction } from "../components/resource.js";
import { type Column, TableFrame } from "../components/table.js";
import { named } from "../components/text.js";

/** What an entry is asked for, with what it has now, and a hint or values to choose from. */
export type EntryField = readonly [
  name: string,
  label: string,
  kind: "text" | "number" | "required" | "choice",
  value: string | number | null | undefined,
  more?: string | readonly string[] | undefined,
];

/** What was given; fields that are empty are left out. */
type Given = Readonly<Record<string, string | number>>;

interface EntryDialogProps {
  readonly title: string;
  /** On the button; default: `Save`. */
  readonly action?: "Save" | "Delete";
  readonly fields: readonly EntryField[];
  readonly onClose: () => void;
  /** Rejects with what the gateway finds wrong. */
  readonly onSave: (given: Given) => Promise<void>;
}

function EntryDialog({ title, action = "Save", fields, onClose, onSave }: EntryDialogProps) {
  const id = useId();
  const submit = (form: FormData): Promise<void> =>
    onSave(
      Object.fromEntries(
        fields.flatMap(([name, , kind]) => {
          const text = String(form.get(name) ?? "").trim();
          return text === "" ? [] : [[name, kind === "number" ? Number(text) : text]];
        }),
      ),
    );
  return (
    <FormDialog
      title={title}
      action={action}
      busyAction="Working…"
      look={action === "Save" ? "primary" : "danger"}
      onClose={onClose}
      onSubmit={submit}
    >
      <div class="two-columns">
        {fields.map(([name, label, kind, value, more = []]) =>
          kind === "choice" ? (
            <label key={name} class="field">
              <span>{label}</span>
              <select class="input" name={name}>
                {[more].flat().map((one) => (
                  <option key={one} selected={one === value}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <Field
              key={name}
              name={name}
              label={label}
              type={kind === "number" ? "number" : "text"}
              step="any"
              required={kind === "required"}
              defaultValue={value ?? ""}
              list={typeof more === "string" || more.length === 0 ? undefined : `${id}${name}`}
            >
              {typeof more === "string" ? (
                <small>{more}</small>
              ) : (
                <Suggestions id={`${id}${name}`} values={more} />
              )}
            </Field>
          ),
        )}
      </div>
    </FormDialog>
  );
}

interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
}

interface EntriesProps<Entry> {
  /** What one of them is. */
  readonly what: "budget" | "webhook" | "rule";
  /** Whether the console has set them, and what takes that back. */
  readonly reset: SettingsPatch | undefined;
  readonly entries: readonly Entry[];
  readonly columns: readonly Column<Entry>[];
  readonly fieldsOf: (entry: Entry | undefined) => readonly EntryField[];
  /** All of them, with what was given for one, or without it. */
  readonly patchOf: (
    others: readonly Entry[],
    given: Given | undefined,
    entry: Entry | undefined,
  ) => SettingsPatch;
  /** Of a row, beside changing it. */
  readonly more?: (entry: Entry, apply: (patch: SettingsPatch) => void) => readonly MenuItem[];
  readonly empty?: string;
  readonly onChanged: () => void;
}

/** Budgets or webhooks as a table, in which they are made, changed and deleted. */
export function Entries<Entry extends { readonly name: string }>({
  what,
  reset,
  entries,
  columns,
  fieldsOf,
  patchOf,
  more = () => [],
  empty,
  onChanged,
}: EntriesProps<Entry>) {
  const [open, setOpen] = useState<{ readonly act: "save" | "delete"; readonly entry?: Entry }>();
  const { act, entry } = open ?? {};
  const close = (): void => setOpen(undefined);
  const others = entries.filter((one) => one !== entry);
  const apply = async (patch: SettingsPatch): Promise<void> => {
    await changeSettings(patch);
    close();
    onChanged();
  };
  const direct = useAction((_signal, patch: SettingsPatch) => apply(patch));
  return (
    <>
      {direct.fault !== undefined && <Notice kind="error">{direct.fault}</Notice>}
      <TableFrame
        label={`${what.slice(0, 1).toUpperCase() + what.slice(1)}s`}
        ordered={`${what}s`}
        tools={
          <>
            {reset !== undefined && (
              <Button look="slim quiet" onClick={() => direct.run(reset)}>
                Reset to the settings file
              </Button>
            )}
            {what !== "rule" && (
              <Button look="slim primary" onClick={() => setOpen({ act: "save" })}>
                Add {what}
              </Button>
            )}
          </>
        }
        columns={[
          ...columns,
          {
            head: "Actions",
            kind: "unseen",
            look: "right",
            cell: (one) => (
              <Menu
                label={`Actions for ${one.name}`}
                items={[
                  ...more(one, direct.run),
                  { label: "Edit…", onSelect: () => setOpen({ act: "save", entry: one }) },
                  {
                    label: "Delete…",
                    look: "danger",
                    onSelect: () => setOpen({ act: "delete", entry: one }),
                  },
                ]}
              />
            ),
          },
        ]}
        rows={entries}
        keyOf={(one) => one.name}
        empty={{ title: `No ${what}s`, text: empty ?? "" }}
      />
      {act === "save" && (
        <EntryDialog
          title={entry === undefined ? `Add ${what}` : `Edit ${what}`}
          fields={fieldsOf(entry)}
          onClose={close}
          onSave={(given) => apply(patchOf(others, given, entry))}
        />
      )}
      {act === "delete" && (
        <EntryDialog
          title={`Delete ${what} ${named(entry?.name ?? "")}?`}
          action="Delete"
          fields={[]}
          onClose={close}
          onSave={() => apply(patchOf(others, undefined, entry))}
        />
      )}
    </>
  );
}
