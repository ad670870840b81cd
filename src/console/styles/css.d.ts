/** The bundler takes style sheets in; they export nothing. */
declare module "*.css" {}
