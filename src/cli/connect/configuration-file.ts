/** Files of other programs: what a connection would change in them, the change, and the way back. */
import { chmod, copyFile, readFile, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../foundation/private-folder.js";
import { replaceFile } from "../../foundation/replace-file.js";
import { CommandFailure } from "../context.js";
import { type MembersToSet, OWN_FILE_MARK, type OwnFile } from "./agents.js";
import { type EditableText, editableJson, type Path } from "./editable-text.js";
import { editableYaml } from "./editable-yaml.js";
import { keyIn } from "./key-in.js";

/** What the file was before the first connection, beside it. */
export const earlierFileOf = (path: string): string => `${path}.before-sextant`;

/** Texts that the last connection set, but for the key, beside the file: others are the user's. */
const setFileOf = (path: string): string => `${path}.set-by-sextant`;

const SECRET = /key|token|secret|password|auth|cookie|header/i;

/** One line for each change, such as `set env.ANTHROPIC_MODEL to "auto:0.2", now "opus"`. Never a secret. */
export async function plannedChanges(file: MembersToSet | OwnFile): Promise<readonly string[]> {
  if ("text" in file)
    return [`write ${file.path}:`, ...file.text.trimEnd().replace('""', '"a key"').split("\n")];
  const content = parsed(file, await textOf(file.path));
  const changes = file.members.flatMap(({ at, value }) => {
    const now = content.valueAt(at);
    const name = at.join(".");
    if (value === undefined) return now === undefined ? [] : [`remove ${name}`];
    if (now === undefined && isEntry(at)) return [`add ${shown(at, value)} to ${around(at).join(".")}`];
    return [`set ${name} to ${shown(at, value)}${now === undefined ? "" : `, now ${shown(at, now)}`}`];
  });
  setMembers(file, content);
  return changes;
}

function setMembers({ path, members }: MembersToSet, content: EditableText): void {
  for (const { at, value } of members) {
    try {
      content.set(at, value);
    } catch {
      const what = isEntry(at) ? `list where ${around(at).join(".")}` : `object where ${at.join(".")}`;
      throw new CommandFailure(`${path} has no ${what} belongs. Correct it first.`);
    }
  }
}

const isEntry = (at: Path): boolean => typeof at.at(-1) === "number";

const around = (at: Path): Path => at.slice(0, -1);

function shown(at: Path, value: unknown): string {
  if (SECRET.test(String(at.at(-1)))) return "a key";
  return JSON.stringify(value, (name, part) => (SECRET.test(name) ? "a key" : part));
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
    return keyIn(text);
  }
  const content = parsed(file, text);
  const earlier = connectedKey(file, content);
  if (text !== undefined && earlier === undefined) {
    await copyFile(file.path, earlierFileOf(file.path));
    await chmod(earlierFileOf(file.path), 0o600);
  }
  setMembers(file, content);
  const values = file.members.map(({ at, value }) => [at.join("."), value]);
  const texts = values.filter(([, value]) => typeof value === "string" && keyIn(value) === undefined);
  await replace(setFileOf(file.path), JSON.stringify(Object.fromEntries(texts)));
  await replace(file.path, content.toString());
  return earlier;
}

interface Disconnected {
  /** That stood in it. */
  readonly key: string;
  /** Names of members of the connection that stay as the user has changed them. */
  readonly kept: readonly string[];
}

/**
 * Takes the change back, and leaves what was changed in the file since.
 *
 * @throws CommandFailure when it is not connected
 */
export async function disconnectFile(file: MembersToSet | OwnFile): Promise<Disconnected> {
  const text = await textOf(file.path);
  if ("text" in file) {
    const key = text?.startsWith(OWN_FILE_MARK) ? keyIn(text) : undefined;
    if (key === undefined) throw notConnected(file.path);
    await rm(file.path);
    return { key, kept: [] };
  }
  const content = parsed(file, text);
  const key = connectedKey(file, content);
  if (key === undefined) throw notConnected(file.path);
  const earlierText = await textOf(earlierFileOf(file.path));
  const set = editableJson(await textOf(setFileOf(file.path)), "json");
  const isOurs = ({ at, value, ours }: MembersToSet["members"][number]) => {
    const now = content.valueAt(at);
    if (typeof value !== "string" || now === undefined) return (value === undefined) === (now === undefined);
    return ours === undefined ? now === (set?.valueAt([at.join(".")]) ?? now) : ours.test(String(now));
  };
  const kept = file.members.filter((member) => !isOurs(member)).map(({ at }) => at.join("."));
  const after = textWithout({ ...file, members: file.members.filter(isOurs) }, { content, earlierText });
  if (after === undefined) await rm(file.path);
  else await replace(file.path, after);
  for (const beside of [earlierFileOf(file.path), setFileOf(file.path)]) await rm(beside, { force: true });
  return { key, kept };
}

function connectedKey({ keyAt }: MembersToSet, content: EditableText): string | undefined {
  const value = content.valueAt(keyAt);
  return typeof value === "string" && keyIn(value) !== undefined ? value : undefined;
}

const notConnected = (path: string): CommandFailure =>
  new CommandFailure(`${path} has no connection that \`sextant connect\` made.`);

/** The text without the connection: the earlier one where nothing else was changed. Undefined where nothing is left. */
function textWithout(
  file: MembersToSet,
  { content, earlierText }: { readonly content: EditableText; readonly earlierText: string | undefined },
): string | undefined {
  const connected = parsed(file, earlierText);
  for (const { at } of file.members) connected.set(at, content.valueAt(at));
  if (connected.toString() === content.toString()) return earlierText;
  const earlier = parsed(file, earlierText);
  for (const { at } of file.members) {
    content.set(at, isEntry(at) ? undefined : earlier.valueAt(at));
    const isLeft = at.length > 1 && isEmpty(content.valueAt(around(at)));
    if (isLeft && earlier.valueAt(around(at)) === undefined) content.set(around(at), undefined);
  }
  return isEmpty(content.valueAt([])) ? earlierText : content.toString();
}

const isEmpty = (value: unknown): boolean => ["{}", "[]"].includes(JSON.stringify(value));

function parsed({ path, format }: MembersToSet, text: string | undefined): EditableText {
  const content = format === "yaml" ? editableYaml(text) : editableJson(text, format);
  if (content !== null) return content;
  const kind = { json: "JSON without comments", jsonc: "JSON", yaml: "YAML" }[format];
  throw new CommandFailure(
    `${path} cannot be read as ${kind}. Correct it first: its program reads nothing else.`,
  );
}

const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw new CommandFailure(`${path} cannot be read: ${error.message}`);
  });

/** Also where the file is a link to another folder, as those who keep such files in a repository have it. */
async function replace(path: string, text: string): Promise<void> {
  try {
    makePrivateFolder(dirname(path));
    await replaceFile(await realpath(path).catch(() => path), text, 0o600);
  } catch (error) {
    throw new CommandFailure(`${path} cannot be written: ${(error as Error).message}`);
  }
}
