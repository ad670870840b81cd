/** Who may ask what: every route of the OpenAPI document, so that a new one is looked at too. */
import { expect, it } from "vitest";
import { ALL_READER_KEY, BOUND_KEY, KEY, READER_KEY, startTestServer } from "../server.js";

const { app } = startTestServer();

const RUNS_MODELS =
  /^(POST|DELETE|GET) \/v1\/(chat\/completions|completions|responses|messages|embeddings|router$|router\/batch|feedback)/;

/** The keys of callers that may not ask for the route, or undefined where anybody may. */
function refusedBy(route: string): readonly string[] | undefined {
  if (/^GET \/(healthz|readyz|metrics|openapi\.json)?$/.test(route)) return undefined;
  if (/^\w+ \/admin\//.test(route)) return [KEY, READER_KEY, ALL_READER_KEY];
  if (/^GET \/v1\/traces/.test(route)) return [KEY, BOUND_KEY];
  if (RUNS_MODELS.test(route)) return [READER_KEY, ALL_READER_KEY];
  return [];
}

const { paths } = (await app.inject({ url: "/openapi.json" })).json();
const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

it.each(routes)("%s asks for its scope before it reads query and body", async (route) => {
  const [method = "", path = ""] = route.split(" ");
  const url = `${path.replaceAll(/\{\w+\}/g, "x")}?nonsense=1`;
  const answer = async (headers: Record<string, string>) => {
    const body = method === "GET" ? {} : { payload: "not JSON" };
    const type = { "content-type": "application/json" };
    const { statusCode, json } = await app.inject({
      method: method as "GET",
      url,
      headers: { ...(method !== "GET" && type), ...headers },
      ...body,
    });
    return [statusCode, statusCode < 400 ? "" : json().error.code];
  };
  const refused = refusedBy(route);
  if (refused === undefined) {
    const [status] = await answer({});
    expect([200, 400]).toContain(status);
    return;
  }
  expect(await answer({})).toEqual([401, "missing_credentials"]);
  for (const key of refused) expect(await answer({ "x-api-key": key })).toEqual([403, "insufficient_scope"]);
  if (refused.length === 0) expect((await answer({ "x-api-key": READER_KEY }))[0]).not.toBe(403);
});
