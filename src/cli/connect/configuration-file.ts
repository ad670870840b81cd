/** Files of other programs: what a connection would change in them, the change, and the way back. */
import { chmod, copyFile, readFile, realpath, rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, parseDocument } from "yaml";
import { SharedFile } from "../../foundation/shared-file.js";
import { CommandFailure } from "../context.js";
import { type MembersToSet, OWN_FILE_MARK, type OwnFile } from "./agents.js";

/** What the file was before the first connection, beside it. */
export const earlierFileOf = (path: string): string => `${path}.before-sextant`;

const SECRET = /key|token/i;

/** One line for each change, such as `set env.ANTHROPIC_MODEL to "auto:0.2", now "opus"`. Never a secret. */
export async function plannedChanges(file: MembersToSet | OwnFile): Promise<readonly string[]> {
  if ("text" in file) return [`write ${file.path}, a file of its own`];
  const document = parsed(file, await textOf(file.path));
  return file.members.flatMap(([path, value]) => {
    const now = document.getIn(path);
    const name = path.join(".");
    if (value === undefined) return now === undefined ? [] : [`remove ${name}`];
    return [`set ${name} to ${shown(path, value)}${now === undefined ? "" : `, now ${shown(path, now)}`}`];
  });
}

function shown(path: readonly string[], value: unknown): string {
  if (typeof value === "string") return SECRET.test(path.at(-1) ?? "") ? "a key" : JSON.stringify(value);
  return "what names this server, with a key";
}

/**
 * Makes the change. The file is readable by its owner alone afterwards: it holds a key.
 *
 * @returns the key of an earlier connection that stood in it
 */
export async function connectFile(file: MembersToSet | OwnFile): Promise<string | undefined> {
  const text = await textOf(file.path);
  if ("text" in file) {
    if (text !== undefined && !text.startsWith(OWN_FILE_MARK)) {
      throw new CommandFailure(
        `${file.path} is there and was not written by \`sextant connect\`. Move it away.`,
      );
    }
    await replace(file.path, file.text);
    return KEY.exec(text ?? "")?.[0];
  }
  const document = parsed(file, text);
  const earlier = connectedKey(file, document);
  if (text !== undefined && earlier === undefined) {
    await copyFile(file.path, earlierFileOf(file.path));
    await chmod(earlierFileOf(file.path), 0o600);
  }
  for (const [path, value] of file.members) setMember(document, path, value);
  await replace(file.path, printed(file, document));
  return earlier;
}

/**
 * Takes the change back, and leaves what else was changed in the file since.
 *
 * @returns the key that stood in it
 * @throws CommandFailure when it is not connected
 */
export async function disconnectFile(file: MembersToSet | OwnFile): Promise<string> {
  const text = await textOf(file.path);
  if ("text" in file) {
    const key = text?.startsWith(OWN_FILE_MARK) ? KEY.exec(text)?.[0] : undefined;
    if (key === undefined) throw notConnected(file.path);
    await rm(file.path);
    return key;
  }
  const document = parsed(file, text);
  const key = connectedKey(file, document);
  if (key === undefined) throw notConnected(file.path);
  const earlierText = await textOf(earlierFileOf(file.path));
  const earlier = parsed(file, earlierText);
  for (const [path] of file.members) restoreMember(document, earlier, path);
  const isEmpty = isDeepStrictEqual(document.toJS() ?? {}, {});
  if (isEmpty && earlierText === undefined) await rm(file.path);
  else
    await replace(file.path, isUnchanged(document, earlier) ? (earlierText ?? "") : printed(file, document));
  await rm(earlierFileOf(file.path), { force: true });
  return key;
}

const KEY = /pk_live_\w+/;

function connectedKey({ keyAt }: MembersToSet, document: Document): string | undefined {
  const value = document.getIn(keyAt);
  return typeof value === "string" && KEY.test(value) ? value : undefined;
}

const notConnected = (path: string): CommandFailure =>
  new CommandFailure(`${path} has no connection that \`sextant connect\` made.`);

const isUnchanged = (document: Document, earlier: Document): boolean =>
  isDeepStrictEqual(document.toJS(), earlier.toJS());

function setMember(document: Document, path: readonly string[], value: unknown): void {
  if (value !== undefined) document.setIn(path, document.createNode(value));
  else if (document.hasIn(path)) document.deleteIn(path);
}

/** Puts the earlier value back, or takes the member away, with the map around it when that was there for it alone. */
function restoreMember(document: Document, earlier: Document, path: readonly string[]): void {
  const value = earlier.getIn(path, true);
  if (value !== undefined) return void document.setIn(path, value);
  if (document.hasIn(path)) document.deleteIn(path);
  const around = path.slice(0, -1);
  const map = document.getIn(around);
  if (around.length > 0 && isMap(map) && map.items.length === 0 && !earlier.hasIn(around))
    document.deleteIn(around);
}

/** JSON is YAML, too; but what is read as JSON is written as JSON. */
function parsed({ path, format }: MembersToSet, text: string | undefined): Document {
  const document = parseDocument(text ?? (format === "json" ? "{}" : ""));
  const isReadable =
    document.errors.length === 0 && (format !== "json" || text === undefined || isJson(text));
  if (isReadable) return document;
  throw new CommandFailure(
    `${path} cannot be read as ${format === "json" ? "JSON without comments" : "YAML"}. ` +
      "Correct it, or make the changes that `sextant connect` prints by hand.",
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const printed = ({ format }: MembersToSet, document: Document): string =>
  format === "json" ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString();

const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw new CommandFailure(`${path} cannot be read: ${error.message}`);
  });

/** Also where the file is a link to another folder, as those who keep such files in a repository have it. */
async function replace(path: string, text: string): Promise<void> {
  await new SharedFile(await realpath(path).catch(() => path)).update(() => text);
}
