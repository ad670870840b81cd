import { call, callList } from "./call.js";

/** The pages of the documentation, which are built with the console. */
export const listDocumentation = (signal: AbortSignal) =>
  callList<{ readonly path: string; readonly title: string }>("/console/docs/pages.json", { signal });

/** Examples of the documentation by client, and the commands for `profiles`; for a gateway at 127.0.0.1:8080. */
export const loadExamples = (signal: AbortSignal): Promise<Readonly<Record<string, string>>> =>
  call("/console/docs/examples.json", { signal });

/** @param page such as `clients`, or `api#auto` */
export const documentationAt = (page: string): string => `/console/docs/${page.replace(/#|$/, ".html$&")}`;
