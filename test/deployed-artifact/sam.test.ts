import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fromContainer } from '#local/engines/containers.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { freePort, run, runToEnd } from '#test/local/command.ts';

// Stubs replace sam and Docker and record their arguments. docs/engines.md describes a run with the real ones.

/** The address at which containers would reach this machine. The engine has another address. */
const GATEWAY = '127.0.2.1';

/** A page on this machine: an address for browsers, which must not be rewritten for containers. */
const PAGE_ORIGIN = 'http://localhost:5173';

/** Records the arguments and variables of sam, and whether the engine answers at the gateway. */
const SAM = `#!${process.execPath}
import { readFileSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
if (args[0] !== '--version') {
  const file = args[args.indexOf('--env-vars') + 1];
  const { Parameters } = JSON.parse(readFileSync(file, 'utf8'));
  const addresses = [Parameters.AWS_ENDPOINT_URL_DYNAMODB, Parameters.AWS_ENDPOINT_URL_SQS];
  const responses = addresses.map((address) => fetch('http://${GATEWAY}:' + new URL(address).port));
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  writeFileSync(process.env.RECORD_FILE, JSON.stringify({ args, Parameters, statuses }));
  process.exit(3);
}`;

let copy: Checkout;
let programs: string;

/** Writes programs to a directory of their own, for PATH. */
const writePrograms = async (name: string, contents: Readonly<Record<string, string>>): Promise<string> => {
  const directory = join(programs, name);
  await mkdir(directory, { recursive: true });
  for (const [program, text] of Object.entries(contents)) {
    await writeFile(join(directory, program), text);
    await chmod(join(directory, program), 0o755);
  }
  return directory;
};

beforeAll(async () => {
  copy = await checkout();
  programs = join(copy.root, 'programs');
});
afterAll(() => copy.remove());

const docker = (lines: string) => `#!/bin/sh\n${lines}`;

describe('npm run sam with a missing program', () => {
  test.each([
    ['no sam', {}, 'npm run sam needs the AWS SAM CLI, but sam is not on the PATH (see docs/engines.md).'],
    ['no docker', { sam: SAM }, 'npm run sam needs Docker, but docker is not on the PATH (see docs/engines.md).'],
    [
      'no running engine',
      { sam: SAM, docker: docker('echo "Cannot connect to the Docker daemon." >&2; echo More. >&2; exit 1') },
      'npm run sam needs Docker, but its daemon does not respond: Cannot connect to the Docker daemon (see docs/engines.md).',
    ],
  ])('%s: one line names it, and nothing is built', async (name, contents, line) => {
    const PATH = await writePrograms(name, contents);
    expect(await runToEnd(copy.root, ['local/sam.ts'], { PATH })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${line}\n`,
    });
    await expect(stat(join(copy.root, 'cdk.out.sam'))).rejects.toThrow('ENOENT');
  });
});

describe('npm run sam with sam and Docker', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the stub of sam writes any JSON
  let recorded: any;
  let ended: Awaited<ReturnType<typeof runToEnd>>;
  let PORT: string;
  const out = (file: string) => join(copy.root, 'cdk.out.sam', file);
  const DATA_DIR = () => join(copy.root, 'data');

  beforeAll(async () => {
    PORT = String(await freePort());
    const RECORD_FILE = join(copy.root, 'recorded.json');
    const PATH = [
      await writePrograms('both', { sam: SAM, docker: docker('echo "127.0.2.0/24 "') }),
      process.env['PATH'],
    ].join(delimiter);
    const environment = {
      PATH,
      RECORD_FILE,
      PORT,
      DATA_DIR: DATA_DIR(),
      ACCOUNT_CLAIM: 'custom:account',
      CORS_ORIGINS: PAGE_ORIGIN,
    };
    const command = run(copy.root, ['local/sam.ts', '--skip-pull-image'], environment);
    ended = { code: await command.end(), ...command.out };
    recorded = JSON.parse(await readFile(RECORD_FILE, 'utf8').catch(() => JSON.stringify(ended)));
  });

  test('sam: gets the template and the arguments of the command; its exit code is the command’s', async () => {
    const given = [
      '--template',
      out('invoicing-dev.template.json'),
      '--env-vars',
      out('variables.json'),
      '--port',
      PORT,
    ];
    const usual = ['--add-host', 'engines:host-gateway', '--warm-containers', 'LAZY'];
    expect(recorded.args).toEqual(['local', 'start-api', ...given, ...usual, '--skip-pull-image']);
    expect(ended.code).toBe(3);
  });

  test('the nested templates: their code is in dist, not staged, for the processor of this machine', async () => {
    const names = (await readdir(out(''))).filter((name) => name.endsWith('.nested.template.json'));
    const texts = await Promise.all(names.map((name) => readFile(out(name), 'utf8')));
    // biome-ignore lint/suspicious/noExplicitAny: a template holds any JSON
    const resources = texts.flatMap((text) => Object.values<any>(JSON.parse(text).Resources));
    const lambdas = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(lambdas.length).toBeGreaterThan(20);
    for (const { Metadata, Properties } of lambdas) {
      expect(Metadata['aws:asset:path']).toMatch(`${join(copy.root, 'dist')}/`);
      expect(Properties.Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
    }
  });

  test('the variables: name the local engine, tables and issuer, and keep values of the environment', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_S3, JWKS_URL, ...rest } =
      recorded.Parameters;
    for (const address of [AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_S3]) {
      expect(address).toMatch(/^http:\/\/engines:\d+$/);
    }
    const { d: _, ...key } = JSON.parse(await readFile(join(DATA_DIR(), 'issuer.json'), 'utf8'));
    expect(JSON.parse(decodeURIComponent(JWKS_URL.slice('data:application/json,'.length)))).toEqual({ keys: [key] });
    expect(rest).toEqual({
      ...tableVariables(),
      ISSUER: 'urn:invoicing:local',
      AUDIENCE: 'invoicing',
      RATE_LIMIT_PER_SECOND: '1000',
      ACCOUNT_CLAIM: 'custom:account',
      CORS_ORIGINS: PAGE_ORIGIN,
      DELIVERIES_QUEUE_URL: expect.stringMatching(`^${AWS_ENDPOINT_URL_SQS}/\\d+/deliveries$`),
      EXPORTS_BUCKET: 'exports',
      EXPORTS_QUEUE_URL: expect.stringMatching(`^${AWS_ENDPOINT_URL_SQS}/\\d+/exports$`),
    });
  });

  test('the engine: answers at the address that containers use, and is stopped afterwards', async () => {
    expect(recorded.statuses).toHaveLength(2);
    for (const status of recorded.statuses) expect(status).toBeLessThan(500);
    const { port } = new URL(recorded.Parameters.AWS_ENDPOINT_URL_DYNAMODB);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });

  test('the output: a curl line with a token of the issuer', () => {
    expect(ended.stdout).toMatch(
      new RegExp(`^curl http://127\\.0\\.0\\.1:${PORT}/v1/invoices -H 'Authorization: Bearer ey`),
    );
  });
});

test.each([
  ['http://127.0.0.1:8000', 'http://engines:8000'],
  ['http://127.4.5.6:8000', 'http://engines:8000'],
  ['http://localhost:8000/path', 'http://engines:8000/path'],
  ['http://[::1]:8000', 'http://engines:8000'],
  ['https://dynamodb.eu-central-1.amazonaws.com', 'https://dynamodb.eu-central-1.amazonaws.com'],
  ['data:application/json,{"keys":[]}', 'data:application/json,{"keys":[]}'],
  ['invoices', 'invoices'],
])('the address %s: %s in a container', (address, seen) => {
  expect(fromContainer(address)).toBe(seen);
});
