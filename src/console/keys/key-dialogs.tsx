import { useId } from "preact/hooks";
import {
  type CreatedKey,
  createKey,
  type Key,
  listKeys,
  revokeKey,
  rotateKey,
  updateKey,
} from "../api/keys.js";
import { Button, CopyButton, Field, Suggestions } from "../components/controls.js";
import { Dialog, FormDialog } from "../components/dialog.js";
import { localInput } from "../components/format.js";
import { Notice, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { keyChangeFrom, newKeyFrom, SCOPE_MEANINGS } from "./key-facts.js";
import { LimitFields } from "./limit-fields.js";

/** What can be done to a key that exists. */
export type KeyAction = "edit" | "rotate" | "revoke";

export type OpenDialog =
  | { readonly dialog: "create" }
  | { readonly dialog: "created"; readonly created: CreatedKey }
  | { readonly dialog: KeyAction; readonly key: Key };

interface KeyDialogsProps {
  readonly open: OpenDialog | null;
  readonly onOpen: (next: OpenDialog | null) => void;
  /** The keys are not as they were. */
  readonly onChanged: () => void;
}

/** What a dialog asks about a key, and what happens then. */
interface DialogProps<Done> {
  readonly target: Key;
  readonly onClose: () => void;
  readonly onDone: (done: Done) => void;
}

/** The dialog that is open, if any, of those that create and change keys. An answer that comes late closes no other one. */
export function KeyDialogs({ open, onOpen, onChanged }: KeyDialogsProps) {
  const close = (): void => onOpen(null);
  const done = (signal: AbortSignal): void => {
    if (!signal.aborted) close();
    onChanged();
  };
  const show = (created: CreatedKey): void => {
    onOpen({ dialog: "created", created });
    onChanged();
  };
  switch (open?.dialog) {
    case undefined:
      return null;
    case "create":
      return <CreateKeyDialog onClose={close} onDone={show} />;
    case "created":
      return <CreatedKeyDialog created={open.created} onClose={close} />;
    case "edit":
      return <EditKeyDialog target={open.key} onClose={close} onDone={done} />;
    case "rotate":
      return <RotateKeyDialog target={open.key} onClose={close} onDone={show} />;
    case "revoke":
      return <RevokeKeyDialog target={open.key} onClose={close} onDone={done} />;
  }
}

function CreateKeyDialog({ onClose, onDone }: Omit<DialogProps<CreatedKey>, "target">) {
  return (
    <FormDialog
      title="Create key"
      action="Create key"
      busyAction="Creating…"
      onClose={onClose}
      onSubmit={async (form) => onDone(await createKey(newKeyFrom(form)))}
    >
      <NameField placeholder="support bot, production" />
      <ScopeChoice />
      <div class="two-columns">
        <KnownField label="Source" field="source">
          All its traces get this source, whatever a request says.
        </KnownField>
        <ExpiryField at={null} />
        <TeamField />
      </div>
      <LimitFields />
    </FormDialog>
  );
}

/** The one time that a key can be seen. */
function CreatedKeyDialog({
  created,
  onClose,
}: Pick<DialogProps<never>, "onClose"> & { created: CreatedKey }) {
  return (
    <Dialog title={`Key “${created.name}”`} closes="by-its-buttons" onClose={onClose}>
      <Notice kind="warning">Copy it now: it is shown only once. The gateway stores only its digest.</Notice>
      <div class="secret">
        <code data-testid="new-key">{created.key}</code>
        <CopyButton text={created.key} label="Copy key" />
      </div>
      <div class="dialog-actions">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function EditKeyDialog({ target, onClose, onDone }: DialogProps<AbortSignal>) {
  return (
    <FormDialog
      title="Edit key"
      action="Save"
      busyAction="Saving…"
      onClose={onClose}
      onSubmit={async (form, signal) => {
        await updateKey(target.id, keyChangeFrom(form, target));
        onDone(signal);
      }}
    >
      <NameField defaultValue={target.name} />
      <LimitFields limits={target.limits} costWeight={target.cost_weight} />
      <div class="two-columns">
        <ExpiryField at={target.expires_at} />
        <TeamField defaultValue={target.team ?? ""} />
      </div>
    </FormDialog>
  );
}

const NameField = (given: { readonly placeholder?: string; readonly defaultValue?: string }) => (
  <Field label="Name" name="name" required maxLength={128} {...given} />
);

const TeamField = (given: { readonly defaultValue?: string }) => (
  <KnownField label="Team" field="team" {...given}>
    Its budgets count all requests of the key.
  </KnownField>
);

interface KnownFieldProps {
  readonly label: string;
  readonly field: "team" | "source";
  readonly defaultValue?: string;
  readonly children: string;
}

/** Suggests what other keys have. */
function KnownField({ field, children, ...input }: KnownFieldProps) {
  const id = useId();
  const keys = useResource("keys", listKeys);
  return (
    <>
      <Field {...input} name={field} list={id} maxLength={128} placeholder="any">
        <small>{children}</small>
      </Field>
      <Suggestions id={id} values={(keys.value ?? []).map((key) => key[field])} />
    </>
  );
}

const ExpiryField = ({ at }: { readonly at: string | null }) => (
  <Field label="Expires" name="expires" type="datetime-local" defaultValue={localInput(at)}>
    <small>Your local time. Empty: never.</small>
  </Field>
);

/** A button each, none of them the default: a leaked secret must not go on working because the question was passed over. */
const GRACES: readonly (readonly [seconds: string, label: string])[] = [
  ["0", "At once: the key leaked"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
];

function RotateKeyDialog({ target, onClose, onDone }: DialogProps<CreatedKey>) {
  return (
    <FormDialog
      title="Rotate key"
      onClose={onClose}
      onSubmit={async (form) => onDone(await rotateKey(target.id, Number(form.get("grace"))))}
    >
      <p>
        <strong>
          <Plain text={target.name} />
        </strong>{" "}
        gets a new secret. Its limits, budget and traces stay. Choose when the old one ends.
      </p>
      <fieldset class="scope-list">
        <legend class="field-name">
          Rotate, and end the secret <code>{target.prefix}…</code>
        </legend>
        {GRACES.map(([seconds, label]) => (
          <Button key={seconds} type="submit" name="grace" value={seconds}>
            {label}
          </Button>
        ))}
      </fieldset>
      {target.scopes.includes("admin") && (
        <Notice kind="warning">Sessions of the console that were started with this key end at once.</Notice>
      )}
    </FormDialog>
  );
}

function RevokeKeyDialog({ target, onClose, onDone }: DialogProps<AbortSignal>) {
  return (
    <FormDialog
      title="Revoke key"
      action="Revoke permanently"
      busyAction="Revoking…"
      look="danger"
      onClose={onClose}
      onSubmit={async (_, signal) => {
        await revokeKey(target.id);
        onDone(signal);
      }}
    >
      <p>
        <strong>
          <Plain text={target.name} />
        </strong>{" "}
        (<code>{target.prefix}…</code>) stops working at once and permanently. Requests with it are answered
        with 401.
      </p>
    </FormDialog>
  );
}

function ScopeChoice() {
  return (
    <fieldset class="scope-list">
      <legend class="field-name">Scopes</legend>
      {Object.entries(SCOPE_MEANINGS).map(([scope, meaning]) => (
        <label key={scope} class="tick">
          <input type="checkbox" name="scope" value={scope} defaultChecked={scope === "inference"} />
          <span>
            <code>{scope}</code>
            <small class="hint">{meaning}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
