import { writeFileSync } from 'node:fs';
import { currentDocument, DOCUMENT } from './source.ts';

writeFileSync(DOCUMENT, `${JSON.stringify(currentDocument(), null, 2)}\n`);
