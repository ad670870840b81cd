const KEY = /pk_live_\w+/;

/** The key that a connection wrote into a text; undefined without one. */
export const keyIn = (text: string | undefined): string | undefined => KEY.exec(text ?? "")?.[0];
