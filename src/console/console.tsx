import type { ComponentType, VNode } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { Route, Router, Switch } from "wouter-preact";
import { Icon } from "./components/controls.js";
import { BASE, Link } from "./components/link.js";
import { PageHead } from "./components/page.js";
import { Loading, Notice } from "./components/resource.js";
import { KeyPage } from "./keys/key-page.js";
import { KeysPage } from "./keys/keys-page.js";
import { Shell } from "./layout/shell.js";
import { OverviewPage } from "./overview/overview-page.js";
import { session } from "./session/session.js";
import { SignInPage } from "./session/sign-in-page.js";
import { TracePage } from "./traces/trace-page.js";
import { TracesPage } from "./traces/traces-page.js";

const AlertsPage = lazily("/alerts", async () => (await import("./alerts/alerts-page.js")).AlertsPage);
const ConversationPage = lazily(
  "/conversation",
  async () => (await import("./traces/conversation-page.js")).ConversationPage,
);
const FailuresPage = lazily(
  "/failures",
  async () => (await import("./failures/failures-page.js")).FailuresPage,
);
const ProfilesPage = lazily(
  "/profiles",
  async () => (await import("./profiles/profiles-page.js")).ProfilesPage,
);
const ProvidersPage = lazily(
  "/providers",
  async () => (await import("./providers/providers-page.js")).ProvidersPage,
);
const ValuePage = lazily("/value", async () => (await import("./value/value-page.js")).ValuePage);
const RouterPage = lazily("/router", async () => (await import("./router/router-page.js")).RouterPage);

/** Who is not signed in sees nothing else than where to sign in; the address stays, and is shown afterwards. */
export function Console() {
  switch (session.value.state) {
    case "unknown":
      return <div class="opening" aria-busy="true" />;
    case "signed out":
      return <SignInPage />;
    case "signed in":
      return (
        <Router base={BASE}>
          <Shell>
            <Pages />
          </Shell>
        </Router>
      );
  }
}

function Pages() {
  return (
    <Switch>
      <Route path="/" component={OverviewPage} />
      <Route path="/value" component={ValuePage} />
      <Route path="/traces" component={TracesPage} />
      <Route path="/traces/:id" component={TracePage} />
      <Route path="/conversation" component={ConversationPage} />
      <Route path="/failures" component={FailuresPage} />
      <Route path="/alerts" component={AlertsPage} />
      <Route path="/router" component={RouterPage} />
      <Route path="/profiles" component={ProfilesPage} />
      <Route path="/keys" component={KeysPage} />
      <Route path="/keys/:id" component={KeyPage} />
      <Route path="/providers" component={ProvidersPage} />
      <Route>
        <PageHead title="Not found" lead="There is no such page.">
          <Link href="/" class="button">
            <Icon name="back" /> Overview
          </Link>
        </PageHead>
      </Route>
    </Switch>
  );
}

/** A page whose code is fetched when it is first opened; by its address, while the session is asked for. */
function lazily(path: string, load: () => Promise<ComponentType>): () => VNode {
  let Page: ComponentType | undefined;
  const loadPage = async (): Promise<void> => {
    Page = await load();
  };
  if (location.pathname === `${BASE}${path}`) loadPage().catch(() => {});
  return function LazyPage() {
    const [state, setState] = useState(Page === undefined ? "loading" : "loaded");
    // Not an effect, which would only begin after the next frame.
    useLayoutEffect(() => {
      if (state !== "loaded") {
        loadPage().then(
          () => setState("loaded"),
          () => setState("failed"),
        );
      }
    }, []);
    if (Page !== undefined) return <Page />;
    if (state === "failed") {
      return <Notice kind="error">The page could not be loaded. Reload it in the browser.</Notice>;
    }
    return <Loading />;
  };
}
