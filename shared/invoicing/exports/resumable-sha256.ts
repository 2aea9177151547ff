/** A module of its own: workers import it on demand, and esbuild drops the other hashes of hash-wasm. */
export { createSHA256 } from 'hash-wasm';
