import { writeFileSync } from 'node:fs';
import { API, apiText, DOCUMENT, documentText } from './source.ts';

/*
 * npm run openapi: writes docs/openapi.json and docs/api.txt. `-- --stdout` prints the document instead.
 */

const [option, ...more] = process.argv.slice(2);

if (more.length > 0 || (option !== undefined && option !== '--stdout')) {
  console.error(`npm run openapi takes --stdout or nothing, not ${process.argv.slice(2).join(' ')}.`);
  process.exitCode = 2;
} else {
  const text = documentText();
  if (option) process.stdout.write(text);
  else {
    writeFileSync(DOCUMENT, text);
    writeFileSync(API, apiText());
    console.log(`docs/openapi.json: ${text.length.toLocaleString('en')} characters, docs/api.txt`);
  }
}
