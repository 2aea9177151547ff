import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { fillEnvironment } from '#local/environment.ts';
import { portOf, readStorage } from '#local/settings/settings.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const URL = 'http://127.0.0.1:3000';

test('the port: 3000, unless PORT is set [CONTRACT §1]', () => {
  expect([{}, { PORT: '' }, { PORT: '0' }, { PORT: '65535' }].map(portOf)).toEqual([3000, 3000, 0, 65_535]);
});

test.each(['http', '-1', '65536', '3000.5', ' 1'])('PORT=%s: an error names it [CONTRACT §12]', (PORT) => {
  expect(() => portOf({ PORT })).toThrow(`PORT must be a number from 0 to 65535, not "${PORT}".`);
});

test('data: stored in .local or DATA_DIR, and nowhere with :memory:; the key is always stored [CONTRACT §1]', () => {
  expect(readStorage({})).toEqual({ directory: `${ROOT}/.local`, database: `${ROOT}/.local/dynamodb.sqlite` });
  expect(readStorage({ DATA_DIR: '/data' })).toEqual({ directory: '/data', database: '/data/dynamodb.sqlite' });
  expect(readStorage({ DATA_DIR: ':memory:' })).toEqual({ directory: `${ROOT}/.local` });
});

test('a variable of the handlers: gets a default when it is not set, and keeps its value when it is', () => {
  const environment: Record<string, string> = { ISSUER: 'https://issuer.test', AUDIENCE: '', INVOICES_TABLE: 'own' };
  fillEnvironment(environment, URL);
  expect(environment).toMatchObject({
    AWS_REGION: 'local',
    ISSUER: 'https://issuer.test',
    AUDIENCE: 'invoicing',
    JWKS_URL: 'http://127.0.0.1:3000/.well-known/jwks.json',
    INVOICES_TABLE: 'own',
    CUSTOMERS_TABLE: 'customers',
  });
});

test.each([
  ['PROT', 'PORT'],
  ['DATADIR', 'DATA_DIR'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['ALLOWED_HOST', 'ALLOWED_HOSTS'],
  ['REFUND_WINDOWS_DAYS', 'REFUND_WINDOW_DAYS'],
  ['POWERTOOLS_LOG_LEVELL', 'POWERTOOLS_LOG_LEVEL'],
])('the variable %s: a warning names %s', (name, meant) => {
  expect(fillEnvironment({ [name]: '1' }, URL)).toEqual([`Warning: ${name} is not a setting. Did you mean ${meant}?`]);
});

test('variables that exist or resemble no setting: no warning', () => {
  const environment = { PORT: '1', HOST: 'a', PATH: '/bin', PWD: '/', AWS_ENDPOINT_URL_SNS: 'http://a', V1_SUNSET: '' };
  expect(fillEnvironment(environment, URL)).toEqual([]);
});

test.each(['*', 'api:3000', 'http://api', 'a_b/c', '-', '[x]'])(
  'ALLOWED_HOSTS=%s: an error names it [CONTRACT §12]',
  (name) => {
    const message = `ALLOWED_HOSTS must be host names without ports, such as api,api.test, not ${JSON.stringify(name)}.`;
    expect(() => fillEnvironment({ ALLOWED_HOSTS: `ok ${name}` }, URL)).toThrow(message);
  },
);

test('a log level that does not exist: refused with a line that names it [CONTRACT §12]', () => {
  expect(() => fillEnvironment({ POWERTOOLS_LOG_LEVEL: 'LOUD' }, URL)).toThrow('POWERTOOLS_LOG_LEVEL must be');
});
