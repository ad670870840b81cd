/** What a field of a form was given, without spaces around it; empty when there is no such field. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? "").trim();
