import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endpoints } from '#functions/index.ts';
import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import { EXCHANGES } from '#shared/openapi/source.ts';
import { isPublic, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';

/*
 * Writes the end of docs/api.http: a request of each operation that the handwritten part lacks, from its recorded
 * example. Creations come first, because the others name their ids.
 */

export const HTTP_FILE: string = fileURLToPath(new URL('../../docs/api.http', import.meta.url));

const MARK = '# The requests below are written by npm run generate.\n';

/** The text of the file with its generated end. */
export const httpFile = (): string => {
  const [byHand = ''] = readFileSync(HTTP_FILE, 'utf8').split(`\n${MARK}`);
  const exchanges = JSON.parse(readFileSync(EXCHANGES, 'utf8')) as RecordedExchange[];
  const missing = Object.entries(endpoints).filter(
    (entry): entry is [string, Operation] => !isPublic(entry[1]) && !isRequested(entry[1], byHand),
  );
  const requests = missing
    .toSorted(([, a], [, b]) => Number(b.body !== undefined) - Number(a.body !== undefined))
    .map(([file, operation]) =>
      requestOf(
        operation,
        exchanges.find((one) => one.file === file && one.status < 400),
      ),
    );
  return requests.length > 0 ? `${byHand}\n${MARK}\n${requests.join('\n')}` : byHand;
};

const isRequested = (operation: Operation, text: string): boolean => {
  const { method, path } = routeOf(operation);
  const segments = path.replaceAll(/\{\w+\}/g, '\\{\\{[^/\\s]+\\}\\}');
  return new RegExp(`^${method} \\{\\{base\\}\\}/v\\d${segments}(\\?|$)`, 'm').test(text);
};

const requestOf = (operation: Operation, example: RecordedExchange | undefined): string => {
  const { method, path } = routeOf(operation);
  const [{ type }] = Object.values(operation.returns) as [Resource];
  const { summary, body } = operation;
  const name = `created_${type}`;
  const lines = [
    `### ${summary}`,
    ...(body ? [`# @name ${name}`] : []),
    `${method} {{base}}/v1${path.replaceAll(/\{\w+\}/g, '{$&}')}`,
    'Authorization: Bearer {{token}}',
    ...(body ? ['Content-Type: application/json', 'Idempotency-Key: {{$guid}}', '', withNamedIds(example)] : []),
    ...(body ? ['', '###', `@${type}_id = {{${name}.response.body.$.id}}`] : []),
  ];
  return `${lines.join('\n')}\n`;
};

/** The recorded body, with the ids of the requests above. */
const withNamedIds = (example: RecordedExchange | undefined): string =>
  JSON.stringify(example?.sent.body).replaceAll(/"(\w+_id)":\d+/g, '"$1":{{$1}}');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(HTTP_FILE, httpFile());
