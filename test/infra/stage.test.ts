import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/bundle.ts';
import { SettingError, settingsOf } from '#infra/stage.ts';

const read = (context: Record<string, unknown>) => settingsOf((key) => context[key]);

const PROD = { stage: 'prod', issuer: 'https://id.test/', audience: 'invoicing', jwksUrl: 'https://id.test/jwks' };

describe('settings', () => {
  test('dev is the default, and trusts nobody until it is told of an issuer', () => {
    const { stage, architecture, identity, ...rest } = read({});
    expect([stage, architecture.name]).toEqual(['dev', 'arm64']);
    expect(rest).toMatchObject({ idempotencyHours: 24, corsOrigins: ['*'], keepsData: false });
    expect(identity.jwksUrl).toBe('data:application/json,{"keys":[]}');
    expect(identity.claims).toEqual({ account: 'account_id', scope: 'scope', role: 'role' });
  });

  test('dev takes the keys of a developer as a data: URL', () => {
    const jwksUrl = 'data:application/json,%7B%22keys%22%3A%5B%5D%7D';
    expect(read({ jwksUrl, issuer: 'local' }).identity).toMatchObject({ jwksUrl, issuer: 'local' });
  });

  test('prod takes its own', () => {
    expect(read(PROD)).toMatchObject({ stage: 'prod', keepsData: true, identity: { issuer: PROD.issuer } });
  });

  test('the host’s architecture serves sam local', () => {
    expect(read({ arch: 'host' }).architecture.name).toBe(process.arch === 'arm64' ? 'arm64' : 'x86_64');
  });

  test.each([
    [{ stage: 'prod' }, 'Stage prod needs -c issuer, -c audience, -c jwksUrl (see docs/deploy.md).'],
    [{ ...PROD, issuer: undefined }, 'Stage prod needs -c issuer (see docs/deploy.md).'],
    [{ ...PROD, audience: ' ' }, 'Stage prod needs -c audience (see docs/deploy.md).'],
    [{ ...PROD, jwksUrl: 'id.test' }, '-c jwksUrl must be a URL, not "id.test".'],
    [{ ...PROD, jwksUrl: 'http://id.test/' }, 'Stage prod takes a jwksUrl of https: only, not of http:'],
    [{ ...PROD, jwksUrl: 'data:,' }, 'Stage prod takes a jwksUrl of https: only, not of data:'],
    [{ jwksUrl: 'file:///jwks' }, 'Stage dev takes a jwksUrl of https:, http:, data: only, not of file:'],
    [{ stage: 'qa' }, '-c stage must be one of dev, prod, not "qa".'],
    [{ stage: 'constructor' }, '-c stage must be one of dev, prod, not "constructor".'],
    [{ arch: 'mips\nx' }, '-c arch must be one of arm64, x86_64, host, not "mips\\nx".'],
    [{ idempotencyTtlHours: '0' }, '-c idempotencyTtlHours must be a positive integer, not "0".'],
  ])('%j is refused', (context, message) => {
    expect(() => read(context)).toThrow(new SettingError(message));
  });
});

describe('cdk', () => {
  const run = async (context: object) => {
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) };
    const child = spawn(process.execPath, ['infra/app.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise((resolve) => child.on('exit', resolve));
    const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { code, out, err };
  };

  test('says what is wrong in one line, and fails', async () => {
    const [prod, qa] = await Promise.all([run({ stage: 'prod' }), run({ stage: 'qa' })]);
    const needs = 'Stage prod needs -c issuer, -c audience, -c jwksUrl (see docs/deploy.md).\n';
    expect(prod).toEqual({ code: 1, out: '', err: needs });
    expect(qa).toEqual({ code: 1, out: '', err: '-c stage must be one of dev, prod, not "qa".\n' });
  });
});
