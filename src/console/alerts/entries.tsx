import { useId, useState } from "preact/hooks";
import { changeSettings, fetchSettings, type OperatorSettings, type SettingsPatch } from "../api/settings.js";
import { Button, Field, Suggestions } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Menu } from "../components/menu.js";
import { Notice, useAction } from "../components/resource.js";
import { actions, type Column, TableFrame } from "../components/table.js";
import { named } from "../components/text.js";
import { changeIn, type EntryField, type NamedChange } from "./entry-changes.js";

/** What is done to an entry, or to all: on the button. */
type Act = "Save" | "Delete" | "Reset";

interface EntryDialogProps {
  readonly title: string;
  readonly act: Act;
  readonly fields: readonly EntryField[];
  readonly onClose: () => void;
  /** Rejects with what the gateway finds wrong. */
  readonly onSubmit: (form: FormData) => Promise<void>;
}

function EntryDialog({ act, fields, ...props }: EntryDialogProps) {
  const id = useId();
  return (
    <FormDialog {...props} action={act} busyAction="Working…" look={act === "Save" ? "primary" : "danger"}>
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
  /** What takes back what the console has set of them all, as far as nobody has changed that since. */
  readonly reset?: SettingsPatch | false;
  /** What it is called that `patchOf` does without a change, where there is such a thing; default: `Delete`. */
  readonly removalOf?: (entry: Entry) => Act | false;
  readonly entries: readonly Entry[];
  readonly columns: readonly Column<Entry>[];
  readonly fieldsOf: (entry: Entry | undefined) => readonly EntryField[];
  /** What changes the entry of a name, adds one without, or deletes it without a change, of the settings as they are then. */
  readonly patchOf: (now: OperatorSettings["settings"], of: NamedChange) => SettingsPatch;
  /** Of a row, beside changing it. */
  readonly more?: (entry: Entry, apply: (patch: SettingsPatch) => void) => readonly MenuItem[];
  readonly empty?: string;
  readonly onChanged: () => void;
}

/** Budgets, webhooks or rules as a table, in which they are made, changed and deleted. */
export function Entries<Entry extends { readonly name: string }>({
  what,
  reset = false,
  removalOf = () => "Delete",
  entries,
  columns,
  fieldsOf,
  patchOf,
  more = () => [],
  empty,
  onChanged,
}: EntriesProps<Entry>) {
  const [open, setOpen] = useState<{ readonly act: Act; readonly entry?: Entry }>();
  const { act, entry } = open ?? {};
  const fields = act === "Save" ? fieldsOf(entry) : [];
  const close = (): void => setOpen(undefined);
  const apply = async (patch: SettingsPatch): Promise<void> => {
    // Also what others have changed, where this is refused.
    await changeSettings(patch).finally(onChanged);
    close();
  };
  const submit = async (form: FormData): Promise<void> => {
    if (reset && act === "Reset") return apply(reset);
    const change = act === "Save" ? changeIn(form, fields, entry === undefined ? "add" : "edit") : undefined;
    if (change !== undefined && Object.keys(change).length === 0) return close();
    const { settings, version } = await fetchSettings();
    return apply({ ...patchOf(settings, { name: entry?.name, change }), version });
  };
  const itemFor = (act: Act | false, entry: Entry) =>
    act ? [{ label: `${act === "Save" ? "Edit" : act}…`, onSelect: () => setOpen({ act, entry }) }] : [];
  const direct = useAction((_signal, patch: SettingsPatch) => apply(patch));
  return (
    <>
      {direct.fault !== undefined && <Notice kind="error">{direct.fault}</Notice>}
      <TableFrame
        label={`${what.slice(0, 1).toUpperCase() + what.slice(1)}s`}
        ordered={`${what}s`}
        tools={
          <>
            {reset && (
              <Button look="slim quiet" onClick={() => setOpen({ act: "Reset" })}>
                Reset to the settings file
              </Button>
            )}
            {what !== "rule" && (
              <Button look="slim primary" onClick={() => setOpen({ act: "Save" })}>
                Add {what}
              </Button>
            )}
          </>
        }
        columns={[
          ...columns,
          actions<Entry>((one) => (
            <Menu
              label={`Actions for ${one.name}`}
              items={[
                ...more(one, direct.run),
                ...itemFor(fieldsOf(one).length > 0 && "Save", one),
                ...itemFor(removalOf(one), one).map((item) => ({ ...item, look: "danger" as const })),
              ]}
            />
          )),
        ]}
        rows={entries}
        keyOf={(one) => one.name}
        empty={{ title: `No ${what}s`, text: empty ?? "" }}
      />
      {act !== undefined && (
        <EntryDialog
          title={
            act === "Save"
              ? `${entry === undefined ? "Add" : "Edit"} ${what} ${named(entry?.name ?? "")}`.trim()
              : `${act} ${entry === undefined ? `all ${what}s` : `${what} ${named(entry.name)}`}?`
          }
          act={act}
          fields={fields}
          onClose={close}
          onSubmit={submit}
        />
      )}
    </>
  );
}
