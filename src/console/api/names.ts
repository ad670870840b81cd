/** The members of a union: the type checker asks for each of them as a key, so that none is forgotten. */
export const namesOf = <Name extends string>(names: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(names) as Name[];
