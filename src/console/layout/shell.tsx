import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { Icon } from "../components/icon.js";
import { session, signOut } from "../session/session.js";
import { PAGES } from "./pages.js";
import { ThemeChoice } from "./theme-choice.js";

/** Navigation at the side, the page beside it. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  return (
    <div class="shell">
      <button class="button skip" type="button" onClick={focusPage}>
        Skip to the page
      </button>
      <header class="side">
        <div class="brand">
          <img src="/console/mark.svg" alt="" width="28" height="28" />
          <span>Sextant</span>
        </div>
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
        <div class="side-foot">
          <ThemeChoice />
          {session.value.keyName === null ? (
            <p class="muted small">Authentication is off</p>
          ) : (
            <>
              <p class="muted small who" title={session.value.keyName}>
                Signed in with <strong>{session.value.keyName}</strong>
              </p>
              <button class="button quiet" type="button" onClick={() => void signOut()}>
                <Icon name="sign_out" /> Sign out
              </button>
            </>
          )}
        </div>
      </header>
      <main class="page" id="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** Not a link: its fragment would become part of the address, which holds the state of the page. */
const focusPage = (): void => document.getElementById("page")?.focus();

const isWithin = (location: string, path: string): boolean =>
  path === "/" ? location === "/" : location === path || location.startsWith(`${path}/`);
