import type { IconName } from "../components/controls.js";

/** The pages in the order of the navigation; paths start at `/console`. */
export const PAGES: readonly { readonly path: string; readonly title: string; readonly icon: IconName }[] = [
  { path: "/", title: "Overview", icon: "overview" },
  { path: "/value", title: "Value", icon: "value" },
  { path: "/traces", title: "Traces", icon: "traces" },
  { path: "/failures", title: "Failures", icon: "failures" },
  { path: "/alerts", title: "Alerts", icon: "alerts" },
  { path: "/router", title: "Router", icon: "router" },
  { path: "/profiles", title: "Profiles", icon: "profiles" },
  { path: "/keys", title: "Keys", icon: "keys" },
  { path: "/providers", title: "Providers", icon: "providers" },
];
