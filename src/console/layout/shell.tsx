import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { Button, Icon, Segments } from "../components/controls.js";
import { followLink, Link } from "../components/link.js";
import mark from "../mark.svg";
import { OpenedPause } from "../pauses/pause-dialog.js";
import { session, signOut } from "../session/session.js";
import { PAGES } from "./pages.js";
import { Search, SearchButton } from "./search.js";
import { chooseTheme, type Theme, theme } from "./theme.js";
import { usePagePlace } from "./use-page-place.js";

/** Navigation at the side, the page beside it. On narrow screens a bar at the top, in which the navigation folds. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  const header = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const page = useRef<HTMLElement>(null);
  const { isOpen, toggle } = useMenu(location, { header, button: menuButton });
  usePagePlace(location, page);
  useEffect(() => {
    document.addEventListener("click", followLink);
    return () => document.removeEventListener("click", followLink);
  }, []);
  return (
    <div class="shell">
      {/* Not a link: its fragment would become part of the address, which holds the state of the page. */}
      <Button look="skip" onClick={() => page.current?.focus()}>
        Skip to the page
      </Button>
      <header class="side" ref={header}>
        <div class="brand">
          <img src={mark} alt="" width="28" height="28" />
          <span>Sextant</span>
        </div>
        <button
          ref={menuButton}
          class="button quiet menu-button"
          type="button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={toggle}
        >
          <Icon name={isOpen ? "close" : "menu"} /> Menu
        </button>
        <div class={isOpen ? "menu open" : "menu"} id="menu">
          <SearchButton />
          <nav aria-label="Pages">
            <ul>
              {PAGES.map(({ path, title, icon }) => (
                <li key={path}>
                  <Link
                    href={path}
                    class="nav-link"
                    aria-current={isWithin(location, path) ? "page" : undefined}
                  >
                    <Icon name={icon} />
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <SideFoot />
        </div>
      </header>
      <main class="page" id="page" ref={page} tabIndex={-1}>
        {children}
      </main>
      <Search />
      <OpenedPause />
    </div>
  );
}

function SideFoot() {
  const { keyName } = session.value;
  return (
    <div class="side-foot">
      <ThemeChoice />
      {keyName === null ? (
        <p class="muted small">Authentication is off</p>
      ) : (
        <>
          <p class="muted small who" title={keyName}>
            Signed in with <strong>{keyName}</strong>
          </p>
          <Button look="quiet" onClick={() => void signOut()}>
            <Icon name="sign_out" /> Sign out
          </Button>
        </>
      )}
    </div>
  );
}

/** A conversation is shown as part of the traces. */
const isWithin = (location: string, path: string): boolean =>
  location === path ||
  (path !== "/" && location.startsWith(`${path}/`)) ||
  (path === "/traces" && location === "/conversation");

const THEMES: Readonly<Record<string, Theme>> = { Auto: "system", Light: "light", Dark: "dark" };

function ThemeChoice() {
  const names = Object.keys(THEMES);
  return (
    <Segments
      label="Colours"
      look="small"
      values={names}
      value={names.find((name) => THEMES[name] === theme.value) ?? ""}
      onChange={(name) => chooseTheme(THEMES[name] ?? "system")}
    />
  );
}

interface MenuElements {
  /** Holds the menu and its button. */
  readonly header: RefObject<HTMLElement>;
  /** Escape gives the focus back to it. */
  readonly button: RefObject<HTMLButtonElement>;
}

interface Menu {
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/**
 * The navigation of narrow screens, which folds: it closes when another page opens, on Escape, and when anything outside of it
 * is used.
 */
function useMenu(location: string, { header, button }: MenuElements): Menu {
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === location;
  // Before the menu is seen: a click outside of it may follow at once.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const close = (): void => setOpenAt(null);
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && header.current?.contains(target) === false) close();
    };
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      close();
      button.current?.focus();
    };
    document.addEventListener("pointerdown", closeOutside, { signal });
    document.addEventListener("focusin", closeOutside, { signal });
    document.addEventListener("keydown", closeOnEscape, { signal });
    return () => leaving.abort();
  }, [isOpen]);
  return { isOpen, toggle: () => setOpenAt(isOpen ? null : location) };
}
