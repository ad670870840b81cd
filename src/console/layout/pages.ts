import type { IconName } from "../components/controls.js";

/** In the order of the navigation: paths below `/console`, and the page of the documentation that explains each. */
export const PAGES: readonly Readonly<Record<"path" | "title" | "docs", string> & { icon: IconName }>[] = [
  { path: "/", title: "Overview", icon: "overview", docs: "console" },
  { path: "/value", title: "Value", icon: "value", docs: "savings" },
  { path: "/traces", title: "Traces", icon: "traces", docs: "api#get-v1traces" },
  { path: "/failures", title: "Failures", icon: "failures", docs: "errors" },
  { path: "/alerts", title: "Alerts", icon: "alerts", docs: "alerts" },
  { path: "/router", title: "Router", icon: "router", docs: "decisions/cost-weight" },
  { path: "/profiles", title: "Profiles", icon: "profiles", docs: "workbench" },
  { path: "/keys", title: "Keys", icon: "keys", docs: "access" },
  { path: "/providers", title: "Providers", icon: "providers", docs: "providers" },
];

/** Whether the page, or one below it, is open; a conversation is shown as part of the traces. */
export const isWithin = (location: string, path: string): boolean =>
  location === path ||
  (path !== "/" && location.startsWith(`${path}/`)) ||
  (path === "/traces" && location === "/conversation");
