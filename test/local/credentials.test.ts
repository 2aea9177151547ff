import { expect, test } from '@jest/globals';
import { LOCAL, setCredentials, setDataKey } from '#local/engines/credentials.ts';

const OWN = { AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
const ENGINE = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' };
const REGION = { AWS_REGION: 'eu-central-1' };

test.each<[string, NodeJS.ProcessEnv, NodeJS.ProcessEnv]>([
  ['nothing set: fixed ones', {}, LOCAL],
  ['keys of the developer, a region and a profile: fixed ones', { ...OWN, ...REGION, AWS_PROFILE: 'own' }, LOCAL],
  ['an engine without keys for it: fixed ones', { ...ENGINE, AWS_PROFILE: 'own' }, { ...ENGINE, ...LOCAL }],
  ['an engine and half a pair of keys: fixed ones', { ...ENGINE, AWS_ACCESS_KEY_ID: 'own' }, { ...ENGINE, ...LOCAL }],
  [
    'an engine and keys for it: those keys, and no profile',
    { ...ENGINE, ...OWN, ...REGION, AWS_PROFILE: 'own' },
    { ...ENGINE, ...OWN, ...REGION },
  ],
])('credentials of the engines, %s', (_, environment, expected) => {
  setCredentials(environment);
  expect(environment).toEqual(expected);
});

test.each([
  ['the fixed keys', LOCAL.AWS_ACCESS_KEY_ID, 'of-the-data', 'of-the-data'],
  ['keys of another engine', 'own', 'of-the-data', 'own'],
  ['dynoxide, which has no access key', LOCAL.AWS_ACCESS_KEY_ID, undefined, LOCAL.AWS_ACCESS_KEY_ID],
])('the access key of the data, with %s: %s becomes %s', (_, AWS_ACCESS_KEY_ID, ofData, expected) => {
  const environment: NodeJS.ProcessEnv = { AWS_ACCESS_KEY_ID };
  setDataKey(environment, ofData);
  expect(environment['AWS_ACCESS_KEY_ID']).toBe(expected);
});
