import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { FORBIDDEN_HOSTS } from '#test/support/receivers/forbidden-addresses.ts';
import { patch } from '../support/requests.ts';
import { createEndpoint, PATH, pathOf, RECEIVER_URL, violations } from './endpoints.ts';

const isLoopback = (host: string) => /^(127\.|localhost|\[::1\])/.test(new URL(`http://${host}`).hostname);

const INVALID: readonly (readonly [body: object, expected: readonly string[]])[] = [
  ...[
    'http://example.com',
    'ftp://example.com',
    'example.com',
    '',
    'https://ada@example.com',
    'https://:secret@example.com',
    'https://example.com:80',
    ' https://example.com',
    'https://example.com/a\r\nb: c',
    'https:\\\\example.com',
    `https://${'a.'.repeat(130)}com`,
  ].map((url) => [{ url }, ['/url invalid-url']] as const),
  [{ url: `https://example.com/${'a'.repeat(1981)}` }, ['/url too-long']],
  [{ url: null }, ['/url invalid-type']],
  [{ url: 5 }, ['/url invalid-type']],
  [{ event_types: [] }, ['/event_types out-of-range']],
  [{ event_types: ['invoice.eaten'] }, ['/event_types/0 not-allowed']],
  [{ event_types: ['webhook.test'] }, ['/event_types/0 not-allowed']],
  [{ event_types: ['*', 'invoice.paid'] }, ['/event_types not-allowed']],
  [{ event_types: ['*', '*'] }, ['/event_types not-allowed']],
  [{ event_types: Array(51).fill('invoice.paid') }, ['/event_types out-of-range']],
  [{ event_types: 'invoice.paid' }, ['/event_types invalid-type']],
  [{ event_types: null }, ['/event_types invalid-type']],
  [{ status: 'gone' }, ['/status not-allowed']],
  [{ status: null }, ['/status not-allowed']],
  [{ description: 5 }, ['/description invalid-type']],
  [{ position: 0 }, ['/position unknown-field']],
  [{ secrets: [] }, ['/secrets unknown-field']],
  [
    { url: 'ftp://example.com', event_types: ['*', 'invoice.paid'], status: 'x', more: 1 },
    ['/event_types not-allowed', '/more unknown-field', '/status not-allowed', '/url invalid-url'],
  ],
];
const ALLOWED = [
  'https://8.8.8.8',
  'https://[2606:4700::1111]:8443',
  'https://EXAMPLE.com:443',
  'https://örtchen.example',
];
export const webhookEndpointValues: Group = {
  name: 'Values of webhook endpoints',
  checks: [
    check('CONTRACT §15', 'no url: 422', async (service) => {
      expect(violations(await service.send(PATH, { method: 'POST', body: {} }))).toEqual([422, ['/url required']]);
    }),
    ...INVALID.map(([body, expected]) =>
      check('CONTRACT §15', `${JSON.stringify(body).slice(0, 100)}: 422 at create and PATCH`, async (service) => {
        const invalid = await service.send(PATH, { method: 'POST', body: { url: RECEIVER_URL, ...body } });
        expect(violations(invalid)).toEqual([422, expected]);
        const created = await createEndpoint(service);
        expect(violations(await patch(service, pathOf(created), body))).toEqual([422, expected]);
        expect((await service.send(pathOf(created))).json).toEqual({ ...created.json, secret: null });
      }),
    ),
    ...FORBIDDEN_HOSTS.filter((host) => !isLoopback(host)).map((host) =>
      check('CONTRACT §15', `https://${host}, an address that is not public: 422 at /url`, async (service) => {
        const url = `https://${host}/`;
        const dry = await service.send(`${PATH}?dry_run=true`, { method: 'POST', body: { url } });
        expect(violations(dry)).toEqual([422, ['/url invalid-url']]);
      }),
    ),
    ...ALLOWED.map((url) =>
      check('CONTRACT §15', `${url}: allowed`, async (service) => {
        expect((await createEndpoint(service, { url })).json.url).toBe(url);
      }),
    ),
  ],
};
