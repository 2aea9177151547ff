/**
 * Loads every function of a directory, and prints as JSON what each loader reports about its code cache.
 *
 * usage: node start-all.mjs <directory>
 */
import { readdirSync } from 'node:fs';

const [directory] = process.argv.slice(2);
const states = {};
for (const name of readdirSync(directory)) {
  const { handler } = await import(`${directory}/${name}/index.cjs`);
  states[name] = typeof handler === 'function' ? process.env.CODE_CACHE : 'no handler';
}
console.log(JSON.stringify(states));
process.exit();
