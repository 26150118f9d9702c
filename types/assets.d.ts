/** The address of a bundled font, as the style sheets have it. */
declare module "*.woff2" {
  const address: string;
  export default address;
}
