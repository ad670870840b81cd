import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "./controls.js";
import { Link } from "./link.js";
import { nextItem } from "./menu-keys.js";

/** Something to do, or a page of the console to go to, by its address below `BASE`. */
type MenuItem = { readonly label: string; readonly look?: "danger" } & (
  | { readonly onSelect: () => void }
  | { readonly href: string }
);

interface MenuProps {
  /** What the actions concern, for screen readers. */
  readonly label: string;
  /** No menu is shown without any. */
  readonly items: readonly MenuItem[];
  /** On the button; dots without. */
  readonly text?: string;
}

/**
 * A button that opens a list of actions, such as those of a row, with the keys of the
 * [menu button pattern](https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). The browser closes it on Escape and on a click
 * elsewhere, and gives the focus back.
 */
export function Menu({ label, items, text }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const focus = (at: number): void => {
    const all = list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [];
    all[(at + all.length) % all.length]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = items.findIndex((_, place) => list.current?.children[place] === document.activeElement);
    const next = nextItem(items, at, event.key);
    if (next !== undefined) {
      event.preventDefault();
      focus(next);
    } else if (event.key === "Tab") list.current?.hidePopover();
  };
  if (items.length === 0) return null;
  return (
    <>
      <button
        class={`button slim ${text === undefined ? "quiet square" : ""}`}
        type="button"
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={text === undefined ? label : undefined}
      >
        {text ?? <Icon name="more" />}
      </button>
      <div
        ref={list}
        id={id}
        class="menu-list"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        // Before it is shown, and after the focus has gone back.
        onBeforeToggle={({ newState }) => newState === "open" && setOpen(true)}
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
        onKeyDown={onKeyDown}
        onClick={() => list.current?.hidePopover()}
      >
        {isOpen && items.map((item, at) => <Item key={item.label} of={item} isFirst={at === 0} />)}
      </div>
    </>
  );
}

interface ItemProps {
  readonly of: MenuItem;
  readonly isFirst: boolean;
}

/** The browser gives the first one the focus when it shows the list. */
function Item({ of, isFirst }: ItemProps) {
  const shared = {
    class: `menu-item ${of.look ?? ""}`,
    role: "menuitem",
    tabIndex: -1,
    autoFocus: isFirst,
  } as const;
  return "href" in of ? (
    <Link {...shared} href={of.href}>
      {of.label}
    </Link>
  ) : (
    <button {...shared} type="button" onClick={of.onSelect}>
      {of.label}
    </button>
  );
}
