import { Route, Router, Switch } from "wouter-preact";
import { Icon } from "./components/controls.js";
import { lazily } from "./components/lazily.js";
import { BASE, Link } from "./components/link.js";
import { PageHead } from "./components/page.js";
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
const KeyPage = lazily(null, async () => (await import("./keys/key-page.js")).KeyPage);
const KeysPage = lazily("/keys", async () => (await import("./keys/keys-page.js")).KeysPage);
const ValuePage = lazily("/value", async () => (await import("./value/value-page.js")).ValuePage);
const RouterPage = lazily("/router", async () => (await import("./router/router-page.js")).RouterPage);
const StartPage = lazily("/start", async () => (await import("./start/start-card.js")).StartPage);

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
      <Route path="/keys/:id">{({ id }) => <KeyPage key={id} id={id} />}</Route>
      <Route path="/providers" component={ProvidersPage} />
      <Route path="/start" component={StartPage} />
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
