/** The bundler takes style sheets in; they export nothing. */
declare module "*.css" {}

/** The address of a picture. */
declare module "*.svg" {
  const address: string;
  export default address;
}
