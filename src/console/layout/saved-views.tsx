import { useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { listViews, removeView, saveView } from "../api/views.js";
import { Button, Field, Icon } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Link } from "../components/link.js";
import { Notice, useAction, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";

/** Pages with their filters that operators saved by name, for all who sign in. */
export function SavedViews() {
  // Most pages are opened without looking at them.
  const [isOpen, setIsOpen] = useState(false);
  const views = useResource(isOpen ? "views" : undefined, listViews);
  const [path] = useLocation();
  const search = useSearch();
  const [isSaving, setIsSaving] = useState(false);
  const remove = useAction(async (_signal, name: string) => {
    await removeView(name);
    views.reload();
  });
  const here = search === "" ? path : `${path}?${search}`;
  const list = views.value ?? [];
  return (
    <details class="saved-views" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Views</summary>
      <ul aria-label="Saved views">
        {list.map(({ name, path: there }) => (
          <li key={name} class="row">
            <Link
              href={there}
              class="view-link"
              aria-current={there === here ? "page" : undefined}
              title={name}
            >
              <Plain text={name} />
            </Link>
            <Button look="quiet slim" aria-label={`Remove the view ${name}`} onClick={() => remove.run(name)}>
              <Icon name="close" />
            </Button>
          </li>
        ))}
      </ul>
      <Button look="slim" onClick={() => setIsSaving(true)}>
        <Icon name="plus" /> Save this view
      </Button>
      {(remove.fault ?? views.fault) !== undefined && (
        <Notice kind="error">{remove.fault ?? views.fault}</Notice>
      )}
      {isSaving && (
        <FormDialog
          title="Save this view"
          action="Save"
          busyAction="Saving…"
          onClose={() => setIsSaving(false)}
          onSubmit={async (form) => {
            await saveView(String(form.get("name") ?? "").trim(), here);
            setIsSaving(false);
            views.reload();
          }}
        >
          <Field label="Name" name="name" required maxLength={80} autofocus placeholder="Spend by team" />
          <p class="muted small">
            The page with its filters, for everyone who signs in here. One of the same name is replaced.
          </p>
        </FormDialog>
      )}
    </details>
  );
}
