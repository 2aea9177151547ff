import { writeFileSync } from 'node:fs';
import { currentDocument, DOCUMENT } from './source.ts';

const [stray] = process.argv.slice(2);

if (stray === undefined) writeFileSync(DOCUMENT, `${JSON.stringify(currentDocument(), null, 2)}\n`);
else {
  console.error(`Unexpected argument '${stray}'; expected: nothing, it writes docs/openapi.json`);
  process.exitCode = 2;
}
