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
