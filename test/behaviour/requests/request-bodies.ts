import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Sent, Service } from '#test/acceptance/suite/service.ts';
import { JSON_TYPE, outcome, totalOf } from '../support/requests.ts';

const post = (service: Service, body: unknown, headers: Sent['headers'] = JSON_TYPE) =>
  service.send('/v1/invoices', { method: 'POST', body, headers });

const WRONG_TYPES = [
  'application/json; charset=latin1',
  'application/json; charset = utf-16',
  'application/json; charset = utf-8',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; charset=utf-16; charset=utf-8',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; charset*=utf-16',
  "application/json; charset*=utf-8''utf-8",
  'application/json; charset="utf-8',
  'application/json; charset=',
  'application/json; charset=utf-8; charset=utf8',
  'application/json; charset="utf-16"; x=y',
  'application/json; x',
  'application/json; x=y, text/plain',
  'application/json, application/json',
  'application/json charset=utf-8',
  'application/jsonp',
  'text/plain',
  'application/x-www-form-urlencoded',
];

const BYTE_ORDER_MARK = '\ufeff';

type Refused = readonly [cause: string, status: number, code: string, body: unknown, headers?: Sent['headers']];
const REFUSED: readonly Refused[] = [
  ['no body', 400, 'malformed-json', undefined],
  ['an empty body', 400, 'malformed-json', ''],
  ['a byte order mark alone', 400, 'malformed-json', BYTE_ORDER_MARK],
  ['a second byte order mark', 400, 'malformed-json', `${BYTE_ORDER_MARK}${BYTE_ORDER_MARK}{}`],
  ['half an object', 400, 'malformed-json', '{"total_cents":'],
  ['a comma at the end', 400, 'malformed-json', '{"total_cents":1,}'],
  ['bytes that are not UTF-8', 400, 'malformed-json', Buffer.from([0x7b, 0xff, 0x7d])],
  ['no Content-Type', 415, 'unsupported-media-type', '{}', {}],
  ...WRONG_TYPES.map(
    (type): Refused => [`Content-Type ${type}`, 415, 'unsupported-media-type', '{}', { 'content-type': type }],
  ),
  ['merge-patch on POST', 415, 'unsupported-media-type', '{}', { 'content-type': 'application/merge-patch+json' }],
  ['a Content-Encoding', 415, 'unsupported-media-type', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ['an array', 422, 'validation-failed', '[]'],
  ['the JSON null', 422, 'validation-failed', 'null'],
  ['a string', 422, 'validation-failed', '"x"'],
  ['a body over 256 KiB', 413, 'body-too-large', JSON.stringify({ description: 'x'.repeat(262_144) })],
];

const ACCEPTED = [
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; Charset=Utf-8 ',
  'application/json; charset=utf8',
  'application/json; charset="UTF8"',
  'application/json;',
  'application/json ; ;; charset=utf-8 ; ',
  'application/json; x=y',
  'application/json; profile="a; charset=\\"latin1\\""; charset=utf-8; version=1',
  'Application/JSON',
];

const BAD_STRINGS = [
  ['U+0000', '"a\\u0000b"'],
  ['a high surrogate alone', '"\\ud800"'],
  ['a low surrogate alone', '"\\udc00x"'],
] as const;

/** Metadata in JSON, and the pointer of its fault. */
const FORBIDDEN_KEYS = [
  ['{"__proto__":"x"}', ''],
  ['{"a":"b","\\u005f_proto__":"x"}', ''],
  ['{"__proto__":null}', ''],
  ['{"":"x"}', '/metadata/'],
] as const;

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const DEEPEST = '['.repeat(100_000) + ']'.repeat(100_000);
const TOO_DEEP = [expect.objectContaining({ pointer: '', code: 'too-deep' })];

export const requestBodies: Group = {
  name: 'Request bodies',
  checks: [
    ...REFUSED.map(([cause, status, code, body, headers]) =>
      check('CONTRACT §10', `${cause}: ${status} ${code}, no effect`, async (service) => {
        const before = await totalOf(service, '/invoices');
        expect(outcome(await post(service, body, headers))).toEqual([status, code]);
        expect(await totalOf(service, '/invoices')).toBe(before);
      }),
    ),
    ...ACCEPTED.map((type) =>
      check('CONTRACT §10', `Content-Type ${type}: accepted`, async (service) => {
        expect((await post(service, '{}', { 'content-type': type })).status).toBe(201);
      }),
    ),
    ...['application/json', 'application/merge-patch+json', 'application/merge-patch+json; charset=utf-8'].map((type) =>
      check('CONTRACT §4', `PATCH with ${type}: accepted`, async (service) => {
        const { headers } = await service.create('/v1/customers', { name: 'Ada', email: 'a@b.co' });
        const sent = { method: 'PATCH', body: '{"email":null}', headers: { 'content-type': type } };
        const { status, json } = await service.send(headers['location'] as string, sent);
        expect([status, json.name, json.email]).toEqual([200, 'Ada', null]);
      }),
    ),
    check('CONTRACT §10', 'a byte order mark before the body: ignored', async (service) => {
      const headers = { ...JSON_TYPE, 'idempotency-key': randomUUID() };
      const first = await post(service, `${BYTE_ORDER_MARK}{"total_cents": 7}`, headers);
      expect([first.status, first.json.total_cents]).toEqual([201, 7]);
      const replay = await post(service, '{"total_cents": 7}', headers);
      expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
      const path = first.headers['location'] as string;
      const typed = { 'content-type': 'application/merge-patch+json' };
      const sent = { method: 'PATCH', body: Buffer.from(`${BYTE_ORDER_MARK}{"description":"x"}`), headers: typed };
      expect((await service.send(path, sent)).json.description).toBe('x');
      const canceled = await service.send(`${path}/cancel`, { method: 'POST', body: BYTE_ORDER_MARK });
      expect([canceled.status, canceled.json.status]).toEqual([200, 'canceled']);
    }),
    check('CONTRACT §10', 'PUT with merge-patch: 415, and nothing changes', async (service) => {
      const path = (await service.create('/v1/customers', { name: 'Ada' })).headers['location'] as string;
      const headers = { 'content-type': 'application/merge-patch+json' };
      const answer = await service.send(path, { method: 'PUT', body: '{"name":"Bob"}', headers });
      expect(outcome(answer)).toEqual([415, 'unsupported-media-type']);
      expect((await service.send(path)).json.name).toBe('Ada');
    }),
    check('CONTRACT §10', 'a body of exactly 256 KiB: accepted; one byte more: 413', async (service) => {
      const padding = ' '.repeat(262_144 - '{}'.length);
      expect((await post(service, `{}${padding}`)).status).toBe(201);
      expect((await post(service, `{}${padding} `)).status).toBe(413);
    }),
    check(
      'CONTRACT §12',
      'JSON nested deeper than 32 levels: 422 at the pointer of the whole body',
      async (service) => {
        expect((await post(service, nested(33))).json.errors).toEqual(TOO_DEEP);
        expect((await post(service, nested(32))).json.errors).toEqual([expect.objectContaining({ pointer: '/a' })]);
        for (const text of [DEEPEST, `{"\\n":${DEEPEST}}`])
          expect((await post(service, text)).json.errors).toEqual(TOO_DEEP);
      },
    ),
    check('CONTRACT §12', 'a duplicate key in a JSON object: the last one counts', async (service) => {
      expect((await post(service, '{"total_cents":1,"total_cents":2}')).json.total_cents).toBe(2);
    }),
    ...FORBIDDEN_KEYS.map(([metadata, pointer]) =>
      check(
        'CONTRACT §4',
        `metadata ${metadata}: 422 at "${pointer}" by each write, nothing changes`,
        async (service) => {
          for (const [version, collection, whole] of [
            ['v1', 'customers', { name: 'x' }],
            ['v2', 'invoices', {}],
          ] as const) {
            const { headers } = await service.create(`/v1/${collection}`, whole);
            const path = headers['location'] as string;
            const before = await service.send(path);
            const body = JSON.stringify({ ...whole, metadata: 0 }).replace(/0(?=}$)/, metadata);
            for (const [method, target] of [
              ['POST', `/${version}/${collection}`],
              ['PATCH', path.replace('v1', version)],
              ['PUT', path.replace('v1', version)],
            ] as const) {
              const answer = await service.send(target, { method, body, headers: JSON_TYPE });
              expect([method, ...outcome(answer), answer.json.errors[0].pointer]).toEqual([
                ...[method, 422, 'validation-failed', pointer],
              ]);
            }
            expect((await service.send(path)).text).toBe(before.text);
          }
        },
      ),
    ),
    check('CONTRACT §4', 'the metadata key constructor: stored', async (service) => {
      const answer = await post(service, '{"metadata":{"constructor":"x","toString":"y"}}');
      expect(answer.json.metadata).toEqual({ constructor: 'x', toString: 'y' });
      const read = await service.send(answer.headers['location'] as string);
      expect(read.json.metadata).toEqual(answer.json.metadata);
    }),
    check('CONTRACT §3', 'a string with markup, emoji and control characters: returned verbatim', async (service) => {
      const description = ' <b>é😀\u0001"\\\n\u2028 ';
      const { headers } = await service.create('/v1/invoices', { description });
      expect((await service.send(headers['location'] as string)).json.description).toBe(description);
    }),
    ...BAD_STRINGS.map(([name, text]) =>
      check('CONTRACT §3', `${name} in a string, a nested string and a key: 422 at each pointer`, async (service) => {
        const inner = text.slice(1, -1);
        const body = `{"description":${text},"metadata":{"a":${text},"k${inner}":"b"}}`;
        const answer = await post(service, body);
        expect(outcome(answer)).toEqual([422, 'validation-failed']);
        const pointers = answer.json.errors.map(({ pointer }: { pointer: string }) => pointer);
        expect(pointers).toEqual(expect.arrayContaining(['/description', '/metadata/a']));
        expect(pointers).toHaveLength(3);
      }),
    ),
  ],
};
