import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { attention, realProviders, reloadAttention } from "../api/attention.js";
import { documentationAt } from "../api/documentation.js";
import { Button, Icon, Segments } from "../components/controls.js";
import { count } from "../components/format.js";
import { followLink, Link } from "../components/link.js";
import { DocumentationAddress } from "../components/page.js";
import { chooseTheme, THEMES, theme } from "../components/theme.js";
import mark from "../mark.svg";
import { session, signOut } from "../session/session.js";
import { isWithin, PAGES } from "./pages.js";
import { Overlay, SearchButton } from "./search.js";
import { usePagePlace } from "./use-page-place.js";

const ATTENTION_MS = 60_000;

/** Navigation at the side, the page beside it. On narrow screens a bar at the top, in which the navigation folds. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [location] = useLocation();
  const menu = useRef<HTMLDivElement>(null);
  const page = useRef<HTMLElement>(null);
  usePagePlace(location, page);
  useEffect(() => {
    const ask = (): void => void (document.visibilityState === "visible" && reloadAttention());
    ask();
    const timer = setInterval(ask, ATTENTION_MS);
    document.addEventListener("click", followLink);
    return () => {
      clearInterval(timer);
      document.removeEventListener("click", followLink);
    };
  }, []);
  const closeMenu = (): void => menu.current?.hidePopover();
  useEffect(closeMenu, [location]);
  const docs = PAGES.find(({ path }) => isWithin(location, path))?.docs ?? "console";
  return (
    <div class="shell">
      {/* Not a link: its fragment would become part of the address, which holds the state of the page. */}
      <Button look="skip" onClick={() => page.current?.focus()}>
        Skip to the page
      </Button>
      <header class="side">
        <div class="brand">
          <img src={mark} alt="" width="24" height="24" />
          <span>Sextant</span>
        </div>
        <Button look="quiet menu-button" popovertarget="menu">
          <Icon name="menu" /> Menu
        </Button>
        <div
          class="menu"
          id="menu"
          popover="auto"
          ref={menu}
          onFocusOut={({ currentTarget, relatedTarget }) => {
            if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) closeMenu();
          }}
        >
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
                    {path === "/alerts" && <Firing />}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <SideFoot />
        </div>
      </header>
      <main class="page" id="page" ref={page} tabIndex={-1}>
        {attention.value.value?.providers.includes("sandbox") && <SandboxBanner />}
        <DocumentationAddress.Provider value={documentationAt(docs)}>
          {children}
        </DocumentationAddress.Provider>
      </main>
      <Overlay />
    </div>
  );
}

/** How many alerts fire that nobody has acknowledged. */
function Firing() {
  const conditions = attention.value.value?.conditions ?? [];
  const firing = conditions.filter(({ silence }) => silence === null).length;
  return firing === 0 ? null : <span class="nav-count">{count(firing)} firing</span>;
}

const SandboxBanner = () => (
  <p class="notice warning" role="status">
    <strong>Sandbox:</strong>{" "}
    {realProviders().length === 0
      ? "all answers are placeholders; no model is called."
      : "models that no configured provider serves get placeholder answers."}{" "}
    <Link href="/providers">Set up a provider</Link>
  </p>
);

function SideFoot() {
  const { keyName } = session.value;
  return (
    <div class="side-foot">
      <a class="nav-link" href={documentationAt("index")} target="_blank" rel="noopener">
        <Icon name="docs" /> Documentation
      </a>
      <Link href="/start" class="nav-link">
        <Icon name="start" /> Get started
      </Link>
      <Segments label="Colours" look="small" values={THEMES} value={theme.value} onChange={chooseTheme} />
      {keyName === null ? (
        <p class="muted small">Authentication is off</p>
      ) : (
        <div class="row who">
          <span class="muted small" title={`Signed in with ${keyName}`}>
            {keyName}
          </span>
          <Button look="quiet slim" onClick={() => void signOut()}>
            Sign out
          </Button>
        </div>
      )}
    </div>
  );
}
