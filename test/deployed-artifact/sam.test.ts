import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fromContainer } from '#local/engines/containers.ts';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { freePort, run, runToEnd } from '#test/local/command.ts';

/*
 * Neither sam nor Docker is here: programs in their place tell what they were asked. docs/sam-local.md says what was
 * seen with the real ones.
 */

/** Where containers would find this machine; another address of the loopback than the engine's. */
const GATEWAY = '127.0.0.2';

/** Synthesis takes seconds, and many when the machine is busy. */
const A_WHILE_MS = 150_000;

/** A page of this machine, which is named to browsers, not to containers. */
const PAGES = 'http://localhost:5173';

/** Tells what sam is given, and whether the engine answers at the gateway. */
const SAM = `#!${process.execPath}
import { readFileSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
if (args[0] !== '--version') {
  const file = args[args.indexOf('--env-vars') + 1];
  const { Parameters } = JSON.parse(readFileSync(file, 'utf8'));
  const addresses = [Parameters.AWS_ENDPOINT_URL_DYNAMODB, Parameters.AWS_ENDPOINT_URL_SQS];
  const asked = addresses.map((address) => fetch('http://${GATEWAY}:' + new URL(address).port));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  writeFileSync(process.env.TOLD, JSON.stringify({ args, Parameters, statuses }));
  process.exit(3);
}`;

let copy: Checkout;
let programs: string;

/** Puts programs on a PATH of their own. */
const pathOf = async (name: string, contents: Readonly<Record<string, string>>): Promise<string> => {
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

describe('what is missing is told in one line, before anything is built:', () => {
  test.each([
    ['sam', {}, 'npm run sam takes the AWS SAM CLI, but there is no sam on the PATH (see docs/sam-local.md).'],
    ['docker', { sam: SAM }, 'npm run sam takes Docker, but there is no docker on the PATH (see docs/sam-local.md).'],
    [
      'an engine',
      { sam: SAM, docker: docker('echo "Cannot connect to the Docker daemon." >&2; echo More. >&2; exit 1') },
      'npm run sam takes Docker, but its engine does not answer: Cannot connect to the Docker daemon. (see docs/sam-local.md).',
    ],
  ])('%s', async (name, contents, line) => {
    const PATH = await pathOf(name, contents);
    expect(await runToEnd(copy.root, ['local/sam.ts'], { PATH })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${line}\n`,
    });
    await expect(stat(join(copy.root, 'cdk.out.sam'))).rejects.toThrow('ENOENT');
  });
});

describe('with sam and Docker', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what the program in sam's place has written
  let told: any;
  let ended: Awaited<ReturnType<typeof runToEnd>>;
  let PORT: string;
  const out = (file: string) => join(copy.root, 'cdk.out.sam', file);
  const DATA_DIR = () => join(copy.root, 'data');

  beforeAll(async () => {
    PORT = String(await freePort());
    const TOLD = join(copy.root, 'told.json');
    const PATH = [await pathOf('both', { sam: SAM, docker: docker(`echo "${GATEWAY} "`) }), process.env['PATH']].join(
      delimiter,
    );
    const environment = {
      PATH,
      TOLD,
      PORT,
      DATA_DIR: DATA_DIR(),
      ACCOUNT_CLAIM: 'custom:account',
      CORS_ORIGINS: PAGES,
    };
    const command = run(copy.root, ['local/sam.ts', '--skip-pull-image'], environment);
    ended = { code: await command.end(), ...command.out };
    told = JSON.parse(await readFile(TOLD, 'utf8').catch(() => JSON.stringify(ended)));
  }, A_WHILE_MS);

  test('sam is started on the template, with what was typed behind it, and its exit code is the command’s', async () => {
    const given = [
      '--template',
      out('invoicing-dev.template.json'),
      '--env-vars',
      out('variables.json'),
      '--port',
      PORT,
    ];
    const usual = ['--add-host', 'engines:host-gateway', '--warm-containers', 'LAZY'];
    expect(told.args).toEqual(['local', 'start-api', ...given, ...usual, '--skip-pull-image']);
    expect(ended.code).toBe(3);
  });

  test('the template’s code is that of dist, unstaged, for this machine’s processor', async () => {
    const template = JSON.parse(await readFile(out('invoicing-dev.template.json'), 'utf8'));
    // biome-ignore lint/suspicious/noExplicitAny: a template holds any JSON
    const lambdas = Object.values<any>(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(lambdas.length).toBeGreaterThan(20);
    for (const { Metadata, Properties } of lambdas) {
      expect(Metadata['aws:asset:path']).toMatch(`${join(copy.root, 'dist')}/`);
      expect(Properties.Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
    }
  });

  test('the variables lead to this machine’s engine, tables and issuer, and take over what is set', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_S3, JWKS_URL, ...rest } = told.Parameters;
    for (const address of [AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL_S3]) {
      expect(address).toMatch(/^http:\/\/engines:\d+$/);
    }
    const { d: _, ...key } = JSON.parse(await readFile(join(DATA_DIR(), 'issuer.json'), 'utf8'));
    expect(JSON.parse(decodeURIComponent(JWKS_URL.slice('data:application/json,'.length)))).toEqual({ keys: [key] });
    expect(rest).toEqual({
      ISSUER: 'urn:invoicing:local',
      AUDIENCE: 'invoicing',
      ACCOUNT_CLAIM: 'custom:account',
      CORS_ORIGINS: PAGES,
      COUNTERS_TABLE: 'counters',
      CUSTOMERS_TABLE: 'customers',
      EXPORTS_BUCKET: 'exports',
      EXPORTS_QUEUE_URL: expect.stringMatching(`^${AWS_ENDPOINT_URL_SQS}/\\d+/exports$`),
      EXPORTS_TABLE: 'exports',
      IDEMPOTENCY_TABLE: 'idempotency',
      INVOICES_TABLE: 'invoices',
      ITEMS_TABLE: 'items',
      PAYMENTS_TABLE: 'payments',
      REFUNDS_TABLE: 'refunds',
    });
  });

  test('the engine answers where containers find this machine, and is gone afterwards', async () => {
    expect(told.statuses).toHaveLength(2);
    for (const status of told.statuses) expect(status).toBeLessThan(500);
    const { port } = new URL(told.Parameters.AWS_ENDPOINT_URL_DYNAMODB);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });

  test('it prints a curl with a token of the issuer', () => {
    expect(ended.stdout).toMatch(
      new RegExp(`^curl http://127\\.0\\.0\\.1:${PORT}/v1/invoices -H 'Authorization: Bearer ey`),
    );
  });
});

test.each([
  ['http://127.0.0.1:8000', 'http://engines:8000'],
  ['http://localhost:8000/path', 'http://engines:8000/path'],
  ['http://[::1]:8000', 'http://engines:8000'],
  ['https://dynamodb.eu-central-1.amazonaws.com', 'https://dynamodb.eu-central-1.amazonaws.com'],
  ['data:application/json,{"keys":[]}', 'data:application/json,{"keys":[]}'],
  ['invoices', 'invoices'],
])('%s is %s to a container', (address, seen) => {
  expect(fromContainer(address)).toBe(seen);
});
