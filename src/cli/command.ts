/** Commands as data: an option is described once, and its flag, its help, its value and the value's type follow. */
import { Argument, Command, Option } from "commander";
import { type CliContext, writeLine } from "./context.js";

/** Reads what was given. @throws InvalidArgumentError, whose message is printed after the flag */
export type Read<Value> = (text: string, context: CliContext) => Value;

interface Details<Value> {
  /** What follows the flag in the help, such as `<id>`; a switch has none. */
  readonly placeholder?: string;
  readonly read?: Read<Value>;
  readonly choices?: readonly string[];
  readonly isRepeated?: true;
  readonly isRequired?: true;
  readonly fallback?: { readonly value: unknown; readonly shownAs?: string | undefined };
  /** Names of options that it excludes. */
  readonly excludes?: readonly string[];
}

/** An option of a command. `Value` includes undefined unless the option is required or has a default. */
export class OptionSpec<Value> {
  /** Only its type counts. */
  declare readonly value: Value;

  constructor(
    readonly about: string,
    private readonly details: Details<unknown>,
  ) {}

  required(): OptionSpec<NonNullable<Value>> {
    return this.#with({ isRequired: true });
  }

  /** @param shownAs how the help writes it; default: as JSON */
  default(value: NonNullable<Value>, shownAs?: string): OptionSpec<NonNullable<Value>> {
    return this.#with({ fallback: { value, shownAs } });
  }

  /** It may be given several times: its value is the list of what was given. */
  repeated(): OptionSpec<readonly NonNullable<Value>[] | undefined> {
    return this.#with({ isRepeated: true });
  }

  excluding(...names: readonly string[]): OptionSpec<Value> {
    return this.#with({ excludes: names });
  }

  /** For commander, as the option of that name. */
  named(name: string, context: CliContext): Option {
    const { placeholder, read, choices, isRepeated, isRequired, fallback, excludes } = this.details;
    const flags = placeholder === undefined ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
    const option = new Option(flags, this.about).makeOptionMandatory(isRequired === true);
    if (choices !== undefined) option.choices(choices);
    else if (placeholder !== undefined)
      option.argParser<unknown>((text, earlier) => {
        const value = read === undefined ? text : read(text, context);
        return isRepeated ? [...((earlier ?? []) as readonly unknown[]), value] : value;
      });
    if (fallback !== undefined) option.default(fallback.value, fallback.shownAs);
    return excludes === undefined ? option : option.conflicts([...excludes]);
  }

  #with<Other>(details: Details<unknown>): OptionSpec<Other> {
    return new OptionSpec(this.about, { ...this.details, ...details });
  }
}

/** `commandTimeout` → `--command-timeout` */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An option without a value. */
export const flag = (about: string): OptionSpec<true | undefined> => new OptionSpec(about, {});

/** An option with a value, by default the text that was given. */
export function option(placeholder: string, about: string): OptionSpec<string | undefined>;
export function option<Value>(
  placeholder: string,
  about: string,
  read: Read<Value>,
): OptionSpec<Value | undefined>;
export function option(placeholder: string, about: string, read?: Read<unknown>): OptionSpec<unknown> {
  return new OptionSpec(about, { placeholder, ...(read && { read }) });
}

/** An option whose value is one of these. */
export const choice = <const Choice extends string>(
  placeholder: string,
  about: string,
  choices: readonly Choice[],
): OptionSpec<Choice | undefined> => new OptionSpec(about, { placeholder, choices });

export const JSON_OPTION = { json: flag("print JSON") };

export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;

type ValueOf<Spec> = Spec extends OptionSpec<infer Value> ? Value : never;

/** What a command gets of its options; what was not given is left out. */
export type OptionsOf<Specs> = {
  readonly [Name in keyof Specs as undefined extends ValueOf<Specs[Name]> ? never : Name]: ValueOf<
    Specs[Name]
  >;
} & {
  readonly [Name in keyof Specs as undefined extends ValueOf<Specs[Name]> ? Name : never]?: Exclude<
    ValueOf<Specs[Name]>,
    undefined
  >;
};

interface Operand {
  /** As in the usage line: `<id>`, `[prompt]`, `<command...>`. */
  readonly name: string;
  readonly about: string;
  readonly choices?: readonly string[];
}

export interface CommandSpec<Specs extends OptionSpecs> {
  readonly about: string;
  readonly alias?: string;
  readonly operands?: readonly Operand[];
  readonly options: Specs;
  /** Paragraphs below the options. */
  readonly help?: string;
  readonly examples?: readonly string[];
  readonly run: (options: OptionsOf<Specs>, context: CliContext, ...operands: string[]) => Promise<void>;
}

export type MakeCommand = (context: CliContext) => Command;

/** A command that does something. */
export const command =
  <Specs extends OptionSpecs>(name: string, spec: CommandSpec<Specs>): MakeCommand =>
  (context) => {
    const made = new Command(name).description(spec.about);
    if (spec.alias !== undefined) made.alias(spec.alias);
    for (const { name: operand, about, choices } of spec.operands ?? []) {
      const argument = new Argument(operand, about);
      made.addArgument(choices === undefined ? argument : argument.choices(choices));
    }
    for (const [option, one] of Object.entries(spec.options)) made.addOption(one.named(option, context));
    made.action(() => spec.run(made.opts(), context, ...made.args));
    const parts = [
      ...(spec.help === undefined ? [] : [spec.help.trim()]),
      ...(spec.examples === undefined
        ? []
        : [`Examples:${spec.examples.map((line) => `\n  $ ${line}`).join("")}`]),
    ];
    return parts.length === 0 ? made : made.addHelpText("after", `\n${parts.join("\n\n")}`);
  };

/** Commands under one name. */
export const group =
  (
    name: string,
    about: string,
    { commands, help }: { readonly commands: readonly MakeCommand[]; readonly help?: string },
  ): MakeCommand =>
  (context) => {
    const made = new Command(name).description(about);
    for (const make of commands) made.addCommand(make(context));
    return help === undefined ? made : made.addHelpText("after", `\n${help.trim()}`);
  };

/** Prints a result: as JSON where that was asked for, else as text. */
export const writeResult = (
  result: unknown,
  text: () => string,
  { json, context }: { readonly json: true | undefined; readonly context: CliContext },
): Promise<void> => writeLine(context.stdout, json ? JSON.stringify(result, null, 2) : text());
