import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { typesOf } from './types.ts';

export const TYPES: string = fileURLToPath(new URL('../source/types.ts', import.meta.url));
const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Generates the content of client/source/types.ts, formatted. */
export const currentTypes = (): string => {
  const text = typesOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  const format = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${TYPES}`];
  return execFileSync(process.execPath, format, { cwd: ROOT, input: text, encoding: 'utf8' });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES, currentTypes());
