/** Imported on demand, so that reading the table of workers loads no package; esbuild keeps this one hash of hash-wasm. */
export { createSHA256 } from 'hash-wasm';
