import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { contextKeys, SettingError, type Settings, settingsOf } from '#infra/settings/settings.ts';
import { KEYS } from './deployment.ts';
import { PROD } from './stages.ts';

/** Reads the settings of a stage with this file. */
const read = (file: unknown, context: Record<string, string>): Settings => {
  const folder = mkdtempSync(join(tmpdir(), 'stages-'));
  try {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    writeFileSync(join(folder, `${context['stage']}.json`), text);
    return settingsOf(
      (key) => context[key],
      Object.keys(context),
      () => KEYS,
      folder,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const FOLDER = 'infra/stages';
const names = readdirSync(join(ROOT, FOLDER)).map((file) => file.replace('.json', ''));
const settings = contextKeys.filter((key) => !['stage', 'commit'].includes(key)).join(', ');

describe('the file of a stage', () => {
  test.each(names)('infra/stages/%s.json: its settings are accepted', (stage) => {
    expect(settingsOf((key) => (key === 'stage' ? stage : undefined))).toMatchObject({ stage });
  });

  test('a value of each kind: the same settings as the same values of -c', () => {
    const { stage, ...identity } = PROD;
    const file = {
      ...identity,
      idempotencyTtlHours: 48,
      corsOrigins: ['https://a.test', 'https://b.test'],
      reservedConcurrency: { 'payments/create': 50, 'refunds/create': 7 },
      customerKey: true,
      edge: false,
    };
    const context = {
      ...PROD,
      idempotencyTtlHours: '48',
      corsOrigins: 'https://a.test https://b.test',
      reservedConcurrency: 'payments/create=50, refunds/create=7',
      customerKey: 'true',
    };
    expect(read(file, { stage })).toEqual(read({}, context));
    expect(read(file, { stage }).reservedConcurrency).toEqual({ 'payments/create': 50, 'refunds/create': 7 });
  });

  test('a key in the file and in -c: the value of -c counts', () => {
    const { throttle } = read({ throttleRate: 7, throttleBurst: 9 }, { stage: 'dev', throttleRate: '8' });
    expect(throttle).toEqual({ rate: 8, burst: 9 });
  });

  test('a file with a preset: a stage with a name of its own and the values of the preset', () => {
    expect(read({ ...PROD, stage: undefined, preset: 'prod' }, { stage: 'staging' })).toMatchObject({
      stage: 'staging',
      keepsData: true,
    });
  });

  test.each([
    ['{', 'infra/stages/dev.json must be a JSON object of settings.'],
    [[], 'infra/stages/dev.json must be a JSON object of settings.'],
    [{ throttelRate: 1 }, `throttelRate in infra/stages/dev.json is not a setting. Use: ${settings}.`],
    [{ toString: 'x' }, `toString in infra/stages/dev.json is not a setting. Use: ${settings}.`],
    [{ commit: '0123abc' }, `commit in infra/stages/dev.json is not a setting. Use: ${settings}.`],
    [{ throttleRate: '5' }, 'throttleRate in infra/stages/dev.json must be a number, not "5".'],
    [{ edge: 'true' }, 'edge in infra/stages/dev.json must be true or false, not "true".'],
    [{ issuer: null }, 'issuer in infra/stages/dev.json must be a text, not null.'],
    [{ corsOrigins: '*' }, 'corsOrigins in infra/stages/dev.json must be a list of texts, not "*".'],
    [{ corsOrigins: [1] }, 'corsOrigins in infra/stages/dev.json must be a list of texts, not [1].'],
    [
      { reservedConcurrency: { a: '1' } },
      'reservedConcurrency in infra/stages/dev.json must be an object of numbers, not {"a":"1"}.',
    ],
    [{ throttleRate: -5 }, 'throttleRate in infra/stages/dev.json must be a positive integer, not "-5".'],
    [{ refundWindowDays: 0 }, 'refundWindowDays in infra/stages/dev.json must be an integer from 1 to 36500, not "0".'],
    [{ preset: 'test' }, 'preset in infra/stages/dev.json must be one of dev, prod, not "test".'],
  ])('file %j: an error names the file and the key [CONTRACT §12]', (file, message) => {
    expect(() => read(file, { stage: 'dev' })).toThrow(new SettingError(message));
  });

  test('a wrong value of -c in place of a right one of the file: the error names -c', () => {
    expect(() => read({ throttleRate: 5 }, { stage: 'dev', throttleRate: 'many' })).toThrow(
      new SettingError('-c throttleRate must be a positive integer, not "many".'),
    );
  });
});

test('docs/deploy.md: its table has each setting', () => {
  const documented = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] as string).matchAll(/`(\w+)`/g)].map(([, key]) => key));
  expect(documented.sort()).toEqual([...contextKeys].sort());
});
