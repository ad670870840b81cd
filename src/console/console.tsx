import { Route, Router, Switch } from "wouter-preact";
import { KeysPage } from "./keys/keys-page.js";
import { PageHead } from "./layout/page-head.js";
import { Shell } from "./layout/shell.js";
import { session } from "./session/session.js";
import { SignInPage } from "./session/sign-in-page.js";

/** Who is not signed in sees nothing else than where to sign in; the address stays, and is shown afterwards. */
export function Console() {
  switch (session.value.state) {
    case "unknown":
      return <div class="opening" aria-busy="true" />;
    case "signed out":
      return <SignInPage />;
    case "signed in":
      return (
        <Router base="/console">
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
      <Route path="/keys" component={KeysPage} />
      <Route>
        <PageHead title="Not found" lead="The console has no such page." />
      </Route>
    </Switch>
  );
}
