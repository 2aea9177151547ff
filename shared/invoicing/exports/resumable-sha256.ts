/** A separate module, because workers import it on demand and esbuild then drops the other hashes of hash-wasm. */
export { createSHA256 } from 'hash-wasm';
