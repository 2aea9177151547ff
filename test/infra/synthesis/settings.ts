import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { SettingError } from '#infra/settings/context.ts';
import { contextKeys, settingsOf } from '#infra/settings/settings.ts';
import { KEYS } from './deployment.ts';

const read = (context: Record<string, unknown>) =>
  settingsOf(
    (key) => context[key],
    Object.keys(context),
    () => KEYS,
  );

const PROD = { stage: 'prod', issuer: 'https://id.test/', audience: 'invoicing', jwksUrl: 'https://id.test/jwks' };

describe('the settings', () => {
  test('no context: stage dev, which trusts the local issuer', () => {
    const { stage, architecture, identity, ...rest } = read({});
    expect([stage, architecture.name]).toEqual(['dev', 'arm64']);
    expect(rest).toMatchObject({ idempotencyHours: 24, corsOrigins: { patterns: ['*'] }, keepsData: false });
    expect([identity.issuer, identity.audience, identity.jwksUrl]).toEqual(['urn:invoicing:local', 'invoicing', KEYS]);
    expect(identity.claims).toEqual({ account: 'account_id', audience: 'aud', scope: ['scope'], role: 'role' });
  });

  test('stage dev with a data: URL as jwksUrl: accepted', () => {
    const jwksUrl = 'data:application/json,%7B%22keys%22%3A%5B%5D%7D';
    expect(read({ jwksUrl, issuer: 'local' }).identity).toMatchObject({ jwksUrl, issuer: 'local' });
  });

  test.each([{ jwksUrl: 'https://id.test/jwks' }, { issuer: 'local', jwksUrl: 'data:,' }, PROD])(
    'context %j: the local issuer’s keys are not read',
    (context) => {
      const ownKeys = () => {
        throw new Error('asked');
      };
      expect(settingsOf((key) => context[key as keyof typeof context], [], ownKeys).trustsLocalIssuer).toBe(false);
    },
  );

  test('stage prod: takes the issuer of the context, and keeps its data', () => {
    expect(read(PROD)).toMatchObject({ stage: 'prod', keepsData: true, identity: { issuer: PROD.issuer } });
  });

  test('arch=host: the architecture of this machine, for sam local', () => {
    expect(read({ arch: 'host' }).architecture.name).toBe(process.arch === 'arm64' ? 'arm64' : 'x86_64');
  });

  test.each([
    [{ stage: 'prod' }, 'Stage prod requires -c issuer, -c audience, -c jwksUrl (see docs/deploy.md).'],
    [{ ...PROD, issuer: undefined }, 'Stage prod requires -c issuer (see docs/deploy.md).'],
    [{ ...PROD, audience: ' ' }, 'Stage prod requires -c audience (see docs/deploy.md).'],
    [{ ...PROD, jwksUrl: 'id.test' }, '-c jwksUrl must be a URL (https, http, data), not "id.test".'],
    [{ ...PROD, jwksUrl: 'http://id.test/' }, '-c jwksUrl must be a URL with https: in stage prod, not http:'],
    [{ ...PROD, jwksUrl: 'data:,' }, '-c jwksUrl must be a URL with https: in stage prod, not data:'],
    [{ jwksUrl: 'file:///jwks' }, '-c jwksUrl must be a URL (https, http, data), not "file:///jwks".'],
    [{ issuer: 'https://id.test/' }, 'Stage dev requires -c jwksUrl (see docs/deploy.md).'],
    [{ stage: 'qa' }, '-c stage must be one of dev, prod, not "qa".'],
    [{ stage: 'constructor' }, '-c stage must be one of dev, prod, not "constructor".'],
    [{ arch: 'mips\nx' }, '-c arch must be one of arm64, x86_64, host, not "mips\\nx".'],
    [{ throttleRate: '-5' }, '-c throttleRate must be a positive integer, not "-5".'],
    [{ throttleBurst: 'many' }, '-c throttleBurst must be a positive integer, not "many".'],
    [
      { ...PROD, throttleRate: '499' },
      '-c throttleRate must be at least 500, 5 × the budget of an account (-c rateLimitPerSecond), not 499.',
    ],
    [
      { ...PROD, throttleBurst: '4999' },
      '-c throttleBurst must be at least 5000, 5 × the budget of an account (-c rateLimitPerSecond), not 4999.',
    ],
    [
      { ...PROD, rateLimitPerSecond: '101' },
      '-c throttleBurst must be at least 5050, 5 × the budget of an account (-c rateLimitPerSecond), not 5000.',
    ],
    [
      { throttleBurst: '999' },
      '-c throttleBurst must be at least 1000, 1 × the budget of an account (-c rateLimitPerSecond), not 999.',
    ],
    [
      { reservedConcurrency: 'workers/export=9' },
      '-c reservedConcurrency of workers/export must be at least 10, which its trigger may use, not 9.',
    ],
    ...['payments/make=5', 'payments/create=0', 'none, payments/create=5'].map((reservedConcurrency) => [
      { reservedConcurrency },
      `-c reservedConcurrency must be names of functions with positive integers, such as customers/list=10, not "${reservedConcurrency.split(',')[0]}".`,
    ]),
    [{ customerKey: 'yes' }, '-c customerKey must be one of true, false, not "yes".'],
    [{ alarmEmail: 'ops' }, '-c alarmEmail must be an e-mail address, not "ops".'],
    [{ runbook: 'http://a.test' }, '-c runbook must be an https: URL, not "http://a.test".'],
    [
      { v1Deprecation: '2027-01-01', v1Sunset: '2026-12-31' },
      '-c v1Sunset must be no earlier than -c v1Deprecation, not "2026-12-31".',
    ],
  ] as [Record<string, unknown>, string][])(
    'context %j: an error names the setting [CONTRACT §12]',
    (context, message) => {
      expect(() => read(context)).toThrow(new SettingError(message));
    },
  );

  test('no budget of an account: the limits of the gateway have no lower bound', () => {
    const context = { ...PROD, rateLimitPerSecond: '0', throttleRate: '1', throttleBurst: '1' };
    expect(read(context).throttle).toEqual({ rate: 1, burst: 1 });
  });

  test.each([
    [{}, {}],
    [{ reservedConcurrency: 'workers/export=20' }, { 'workers/export': 20 }],
    [
      { ...PROD, reservedConcurrency: 'payments/create=5, workers/deliver=60' },
      { ...read(PROD).reservedConcurrency, 'payments/create': 5, 'workers/deliver': 60 },
    ],
    [{ ...PROD, reservedConcurrency: 'none' }, {}],
  ])('context %j: reserves executions for %j', (context, reserved) => {
    expect(read(context).reservedConcurrency).toEqual(reserved);
  });

  test.each(['stgae', 'Stage', 'alarm-email', 'alarm_email'])('the unknown name %s: an error names it', (name) => {
    expect(() => read({ [name]: 'x' })).toThrow(
      new SettingError(`-c ${name} is not a setting. Use one of: ${contextKeys.join(', ')} (see docs/deploy.md).`),
    );
  });

  test('docs/deploy.md: its table has each setting', () => {
    const documented = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] as string).matchAll(/`(\w+)`/g)].map(([, key]) => key));
    expect(documented.sort()).toEqual([...contextKeys].sort());
  });
});
