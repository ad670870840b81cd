/** Every page while its data are on their way, and when the gateway answers with an error. */
import type { Page } from "playwright-core";
import type { View } from "./views.js";

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["overview", "/"],
  ["traces", "/traces"],
  ["trace", "/traces/req_01KB0000000000000000000000"],
  ["conversation", "/conversation?metadata.order=88213"],
  ["failures", "/failures"],
  ["alerts", "/alerts"],
  ["profiles", "/profiles"],
  ["keys", "/keys"],
  ["key", "/keys/key_0"],
  ["providers", "/providers"],
  ["router-traffic", "/router?view=past+traffic"],
];

const FAULT = "The trace store did not answer within 10 s. Try again, or a shorter period.";
const API = /\/(admin|v1)\//;

const hang = (page: Page) => page.route(API, () => {});

const fail = (page: Page) =>
  page.route(API, (route) =>
    route.fulfill({ status: 503, json: { error: { code: "trace_store_unavailable", message: FAULT } } }),
  );

export const STATES: readonly View[] = PAGES.flatMap(([name, path]) => [
  { name: `${name}-loading`, path, ready: /Loading|Reading|Deciding/, before: hang, settles: false },
  { name: `${name}-error`, path, ready: FAULT, before: fail },
]);
