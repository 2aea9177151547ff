/**
 * The module that Lambda loads. It runs the function's bundle with V8's code cache, which the build has made
 * (docs/decisions/0064). Without a valid cache, V8 compiles the code.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceOrigin } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

const FOLDER = import.meta.dirname;
const BUNDLE = join(FOLDER, 'bundle.js');
/** The file begins with a SHA-256 of code and cache, and the version of Node that made it. */
const HEADER_BYTES = 64;

/** V8 itself compares only the length of the code, and in a release build no checksum of the cache. */
const readCodeCache = (code: Buffer): Buffer | 'missing' | 'invalid' => {
  let file: Buffer;
  try {
    file = readFileSync(join(FOLDER, 'bundle.cache'));
  } catch {
    return 'missing';
  }
  const data = file.subarray(HEADER_BYTES);
  const digest = createHash('sha256').update(code).update(data).digest();
  return digest.equals(file.subarray(0, digest.length)) ? data : 'invalid';
};

const createScript = (): { readonly script: Script; readonly state: string } => {
  const code = readFileSync(BUNDLE);
  const cached = readCodeCache(code);
  // esbuild writes ASCII.
  const text = code.toString('latin1');
  if (typeof cached === 'string') return { script: new Script(text, { filename: BUNDLE }), state: cached };
  const script = new Script(text, { filename: BUNDLE, cachedData: cached });
  return { script, state: script.cachedDataRejected ? 'rejected' : 'accepted' };
};

// Lambda starts Node with --expose-gc. A flag that is not V8's default makes V8 reject the code caches of Node's own
// modules and ours. `gc` stays defined.
if (globalThis.gc) process.getBuiltinModule('node:v8').setFlagsFromString('--no-expose-gc');

const { script, state } = createScript();
process.env['CODE_CACHE'] = state;
const module = { exports: {} as { readonly handler: (event: unknown, context: unknown) => unknown } };
script.runInThisContext()(module, FOLDER);
export const { handler } = module.exports;

let sourceMap: SourceMap | undefined;

/** Reads the map at the first stack that is printed, so that it does not delay a cold start. */
const originOf = (site: NodeJS.CallSite | undefined): Partial<SourceOrigin> => {
  const [line, column] = [site?.getLineNumber(), site?.getColumnNumber()];
  if (site?.getFileName() !== BUNDLE || !line || !column) return {};
  sourceMap ??= new SourceMap(JSON.parse(readFileSync(`${BUNDLE}.map`, 'utf8')));
  return sourceMap.findOrigin(line, column);
};

/** A frame with the source file. The name of its function is at the place in the caller. */
const toFrame = (site: NodeJS.CallSite, caller: NodeJS.CallSite | undefined): string => {
  const { fileName, lineNumber, columnNumber } = originOf(site);
  if (!fileName) return String(site);
  const place = `${fileName.replace(/^(\.\.\/)+/, '')}:${lineNumber}:${columnNumber}`;
  const name = originOf(caller).name ?? site.getFunctionName();
  return `${site.isAsync() ? 'async ' : ''}${name ? `${name} (${place})` : place}`;
};

Error.prepareStackTrace = (error, sites) => {
  try {
    return [String(error), ...sites.map((site, i) => `    at ${toFrame(site, sites[i + 1])}`)].join('\n');
  } catch {
    return [String(error), ...sites.map((site) => `    at ${site}`)].join('\n');
  }
};
