import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endpoints } from '#functions/index.ts';
import { apiLines } from './compatibility/api-lines.ts';
import { breakingChanges } from './compatibility/breaking-changes.ts';
import { documentOf } from './document.ts';
import type { Json } from './json-schema.ts';
import type { RecordedExchange } from './recorded.ts';

/** The document of the checked-out sources. */
export const currentDocument = (): Json =>
  documentOf({
    endpoints,
    exchanges: JSON.parse(readFileSync(EXCHANGES, 'utf8')) as RecordedExchange[],
    release: (JSON.parse(readSource('package.json')) as { version: string }).version,
  });

/** All guides in one Markdown text, with links to the other documents (https://llmstxt.org). */
export const llmsText = (): string => `# Duebook

> Guides of the Duebook invoicing API. It manages the customers, invoices, payments, refunds, credit notes and exports of an account, as JSON over HTTP.

- [OpenAPI document](/openapi.json): every operation, parameter, field and example; of one version: [v1](/openapi-v1.json), [v2](/openapi-v2.json)
- [API catalog](/.well-known/api-catalog): these addresses, for programs (RFC 9727)
- [Protected resource metadata](/.well-known/oauth-protected-resource): the issuer and the scopes of access tokens (RFC 9728)
- [Problems](/problems): every code of an error response, with its cause and remedy
- [Documentation](/docs): the guides as pages, the [reference](/docs/reference), where people can send requests, and the [explorer](/docs/explorer) of an account's data
- [Changelog](/docs/changelog.txt)

${guides()}
`;

/** The contents of `docs/openapi.json`. */
export const documentText = (): string => `${JSON.stringify(currentDocument(), null, 2)}\n`;

/** The contents of `docs/api.txt`. */
export const apiText = (): string => `${apiLines(currentDocument()).join('\n')}\n`;

/** The changes of the checked-out sources since the last release that can break a client. */
export const changesSinceRelease = (): string[] =>
  breakingChanges(linesOf(readFileSync(RELEASED_API, 'utf8')), linesOf(apiText()));

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

const ROOT = new URL('../../', import.meta.url);

export const readSource = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** The guides, in the order of their numbers. Their links to guides lead to pages. */
const guides = (): string =>
  readdirSync(new URL('docs/guides/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) =>
      readSource(`docs/guides/${name}`)
        .trim()
        .replaceAll(/\]\(\d\d-([\w-]+)\.md/g, '](/docs/$1'),
    )
    .join('\n\n');

export const DOCUMENT: string = fileURLToPath(new URL('docs/openapi.json', ROOT));

export const API: string = fileURLToPath(new URL('docs/api.txt', ROOT));

/** The path of the last release's `docs/api.txt`, which `npm run release` writes. */
export const RELEASED_API: string = fileURLToPath(new URL('docs/api.released.txt', ROOT));

/** The path of the recorded exchanges (test/openapi/scenario.ts). */
export const EXCHANGES: string = fileURLToPath(new URL('docs/examples.json', ROOT));
