import type { ComponentChildren } from "preact";
import { localTime, relativeTime } from "./format.js";
import { Link } from "./link.js";

/**
 * Characters that change how others are shown, or that cannot be seen: controls, marks of direction, invisible ones. Line
 * ends and tabs are what they look like; the joiner of emoji is left alone.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** More of them are not worth an element each. */
const MOST_MARKED = 100;

/**
 * Text of unknown origin: as text, whatever it holds. Its direction stays within it, and what cannot be seen is named, so that
 * nothing looks like what it is not.
 */
export function Plain({ text }: { readonly text: string }) {
  const marks = text.match(UNSEEN);
  if (marks === null) return <bdi>{text}</bdi>;
  if (marks.length > MOST_MARKED) return <bdi>{named(text)}</bdi>;
  const rest = text.split(UNSEEN);
  return (
    <bdi>
      {rest.map((piece, at) => [
        piece,
        at < marks.length && (
          <span class="mark" key={`${at}`}>
            {nameOf(marks[at] ?? "")}
          </span>
        ),
      ])}
    </bdi>
  );
}

/** The same where no element can be: what cannot be seen is named. */
export const named = (text: string): string => text.replace(UNSEEN, nameOf);

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The same where there may be no text. */
export const Optional = ({ text, none = "–" }: { readonly text: string | null; readonly none?: string }) =>
  text === null ? <span class="muted">{none}</span> : <Plain text={text} />;

interface MomentProps {
  /** ISO 8601. */
  readonly at: string | null;
  readonly none?: string;
  /** How long ago it is, or the time on the clock here. */
  readonly shows?: "age" | "time";
}

/** A point in time, as people say it; exactly, here and in UTC, on demand. */
export function Moment({ at, none = "never", shows = "age" }: MomentProps) {
  if (at === null) return <span class="muted">{none}</span>;
  return (
    <time dateTime={at} title={exactly(new Date(at))}>
      {shows === "age" ? relativeTime(Date.parse(at), Date.now()) : localTime(Date.parse(at), Date.now())}
    </time>
  );
}

const exactly = (time: Date): string => `${time.toLocaleString()} (${time.toISOString()})`;

interface TwoLinesProps {
  readonly children: ComponentChildren;
  /** Small and grey, in the second line; nothing where it is null. */
  readonly below: ComponentChildren;
  readonly look?: string;
}

/** What a cell says, with a detail under it. */
export const TwoLines = ({ children, below, look = "" }: TwoLinesProps) => (
  <span class="two-lines">
    {children}
    {below !== null && <small class={`muted ${look}`}>{below}</small>}
  </span>
);

interface KeyLinkProps {
  /** Null: a token asked, or authentication is off. */
  readonly of: { readonly id: string; readonly name: string | null } | null;
}

/** A key by its name, with the way to its page. A key without a name is not stored, or not known any more. */
export function KeyLink({ of }: KeyLinkProps) {
  if (of === null) return <span class="muted">–</span>;
  if (of.name === null) return <Plain text={of.id} />;
  return (
    <Link href={`/keys/${of.id}`}>
      <Plain text={of.name} />
    </Link>
  );
}

export interface FactsProps {
  /** One without a value is left out. */
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** What is known of one thing, by name. */
export const Facts = ({ facts }: FactsProps) => (
  <dl class="facts">
    {facts.map(
      ([name, value]) =>
        value != null &&
        value !== false && (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ),
    )}
  </dl>
);
