/** Jest's global teardown. */
export { stopEngine as default } from './start-engine.ts';
