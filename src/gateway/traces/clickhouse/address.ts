/** Address of a ClickHouse server, credentials and database. */
export interface Address {
  /** Without user, password, path and query. */
  readonly endpoint: string;
  /** Header `Authorization`; undefined when the URL has no user. */
  readonly authorization: string | undefined;
  readonly database: string;
}

const DEFAULT_DATABASE = "default";

/** Takes a URL such as `http://user:password@host:8123/database` apart. Its secrets are in `authorization` only. */
export function addressOf(url: string): Address {
  const { protocol, host, pathname, username, password } = new URL(url);
  const database = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, ""));
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    endpoint: `${protocol}//${host}/`,
    authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    database: database === "" ? DEFAULT_DATABASE : database,
  };
}
