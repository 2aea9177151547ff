import { writeFileSync } from 'node:fs';
import { API, apiText, DOCUMENT, documentText } from './source.ts';

/* A part of `npm run generate`: writes docs/openapi.json and docs/api.txt. */

writeFileSync(DOCUMENT, documentText());
writeFileSync(API, apiText());
