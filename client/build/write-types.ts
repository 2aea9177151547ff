import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenApi } from './collections.ts';
import { operationsOf, typesOf } from './types.ts';

const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const GENERATED = { 'types.ts': typesOf, 'operations.ts': operationsOf };

/** Generates the files of client/source that derive from docs/openapi.json, formatted, by their paths. */
export const generatedFiles = (): Map<string, string> => {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenApi;
  return new Map(
    Object.entries(GENERATED).map(([name, write]) => {
      const path = fileURLToPath(new URL(`../source/${name}`, import.meta.url));
      const format = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${path}`];
      return [path, execFileSync(process.execPath, format, { cwd: ROOT, input: write(document), encoding: 'utf8' })];
    }),
  );
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of generatedFiles()) writeFileSync(path, text);
