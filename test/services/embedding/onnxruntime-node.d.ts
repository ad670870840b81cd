/** What is used of a package that need not be installed, so that the types are there without it. */
declare module "onnxruntime-node" {
  export { InferenceSession, Tensor } from "onnxruntime-common";
}
