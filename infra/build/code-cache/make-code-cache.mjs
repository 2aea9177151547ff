import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

/**
 * Loads the bundle of a function, invokes it once if there is an event, and writes V8's code cache: the code that a
 * cold start runs. It is plain JavaScript and imports nothing of the project, because a process of its own makes each
 * cache.
 *
 * usage: node make-code-cache.mjs <folder of the bundle> [<event as JSON>]
 */
const [folder, event] = process.argv.slice(2);
const filename = `${folder}/bundle.js`;

const code = readFileSync(filename);
const script = new Script(code.toString('latin1'), { filename });
const module = {};
script.runInThisContext()(module, folder);
if (event) {
  const context = { awsRequestId: 'build', getRemainingTimeInMillis: () => 10_000 };
  const { statusCode, body } = await module.exports.handler(JSON.parse(event), context);
  if (statusCode >= 500) throw new Error(`The function answers ${statusCode}: ${body}`);
}

const data = script.createCachedData();
const label = Buffer.alloc(32);
label.write(`${process.version} ${process.arch}`);
const digest = createHash('sha256').update(code).update(data).digest();
writeFileSync(`${folder}/bundle.cache`, Buffer.concat([digest, label, data]));
process.exit();
