import { once } from 'node:events';
import { request } from 'node:http';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { partOf } from '#test/support/extent/extent.ts';

const engine = await startTestQueueAndFiles();
const file = `/${engine.bucket}/acct_1/7/1.csv`;
await engine.s3.send(new PutObjectCommand({ Bucket: engine.bucket, Key: 'acct_1/7/1.csv', Body: 'id\r\n7\r\n' }));
afterAll(() => engine.stop());

const KEYS = { accessKeyId: 'local', secretAccessKey: 'local' };
const HASH = 'x-amz-content-sha256';
const UNSIGNED = { [HASH]: 'UNSIGNED-PAYLOAD' };

const signer = (credentials = KEYS) =>
  new SignatureV4({ credentials, region: 'local', service: 's3', sha256: Sha256, uriEscapePath: false });

const requestTo = (path: string, query: Record<string, string>, headers: Record<string, string>, method = 'GET') => {
  const { host, hostname, port } = new URL(engine.endpoint);
  return { method, protocol: 'http:', hostname, port: Number(port), path, query, headers: { host, ...headers } };
};

const queryString = (query: Record<string, unknown> = {}): string =>
  new URLSearchParams(query as Record<string, string>).toString().replaceAll('+', '%20');

/** The presigned URL of the file. */
const downloadUrl = async ({ method = 'GET', query = {}, at = 0, keys = KEYS } = {}): Promise<string> => {
  const options = { signingDate: new Date(Date.now() + at * 1000), expiresIn: 300 };
  const signed = await signer(keys).presign(requestTo(file, query, UNSIGNED, method), options);
  return `${engine.endpoint}${file}?${queryString(signed.query)}`;
};

const codeOf = async (response: Response): Promise<string | undefined> =>
  /<Code>(.*)<\/Code>/.exec(await response.text())?.[1];

describe('a download URL', () => {
  test('`response-content-disposition` and `-type` in the query: become response headers', async () => {
    const query = {
      'response-content-disposition': 'attachment; filename="exports 7.csv"',
      'response-content-type': 'text/csv; charset=utf-8',
    };
    const { status, headers } = await fetch(await downloadUrl({ query }));
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="exports 7.csv"']);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });

  test.each([
    ['in its last minute: 200 [CONTRACT §9]', { at: -245 }, 200, undefined],
    ['after 5 minutes: 403 [CONTRACT §9]', { at: -302 }, 403, 'AccessDenied'],
    ['signed with another secret key: 403', { keys: { ...KEYS, secretAccessKey: 'b' } }, 403, 'SignatureDoesNotMatch'],
  ])('%s', async (_, options, status, code) => {
    const response = await fetch(await downloadUrl(options));
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
  });

  test.each([
    ['another account', (url: string) => url.replace('acct_1', 'acct_2')],
    ['a longer life', (url: string) => url.replace('X-Amz-Expires=300', 'X-Amz-Expires=301')],
    ['a life of more than a week', (url: string) => url.replace('X-Amz-Expires=300', 'X-Amz-Expires=604801')],
    ['a life that is no number', (url: string) => url.replace('X-Amz-Expires=300', 'X-Amz-Expires=long')],
    ['another name', (url: string) => `${url}&response-content-disposition=inline`],
    ['no signature', (url: string) => url.replace(/&X-Amz-Signature=\w+/, '')],
    ['no query', (url: string) => url.replace(/\?.*/, '')],
  ])('altered to %s: 403', async (_, alter) => {
    const url = await downloadUrl();
    expect(alter(url)).not.toBe(url);
    expect((await fetch(alter(url))).status).toBe(403);
  });

  test('also with an Authorization header, as a client sends it that follows the redirect with its token: 400', async () => {
    const response = await fetch(await downloadUrl(), { headers: { authorization: 'Bearer x' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/xml']);
    expect(await codeOf(response)).toBe('InvalidArgument');
  });

  test('a web page of any origin: returns the file, with CORS headers', async () => {
    for (const origin of ['null', 'http://127.0.0.1:3000', 'https://app.test']) {
      const response = await fetch(await downloadUrl(), { headers: { origin } });
      expect([response.status, await response.text()]).toEqual([200, 'id\r\n7\r\n']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  test('HEAD of a URL that is signed for HEAD, also from a web page: the headers of the file', async () => {
    const query = { 'response-content-disposition': 'attachment; filename="exports-7.csv"' };
    const url = await downloadUrl({ method: 'HEAD', query });
    for (const headers of [{}, { origin: 'null' }]) {
      const response = await fetch(url, { method: 'HEAD', headers });
      expect([response.status, await response.text()]).toEqual([200, '']);
      const names = ['content-length', 'content-disposition', 'access-control-allow-origin'];
      const expected = ['7', 'attachment; filename="exports-7.csv"', '*'];
      expect(names.map((name) => response.headers.get(name))).toEqual(expected);
    }
  });

  test.each([
    ['GET', 'HEAD'],
    ['HEAD', 'GET'],
  ] as const)('a URL that is signed for %s, sent with %s: 403, as S3 signs the method', async (method, other) => {
    expect((await fetch(await downloadUrl({ method }), { method: other })).status).toBe(403);
  });
});

describe('the embedded SQS and S3', () => {
  const send = async (method: string, target: string, headers: Record<string, string> = {}): Promise<Response> => {
    const [path = '', query = ''] = target.split('?');
    const named = Object.fromEntries(new URLSearchParams(query));
    const signed = await signer().sign(requestTo(path, named, { ...UNSIGNED, ...headers }, method));
    const { host: _, ...sent } = signed.headers;
    return fetch(`${engine.endpoint}${target}`, { method, headers: sent });
  };

  test.each([
    ['GET', '/bucket?list-type=2'],
    ['GET', '/bucket/key'],
    ['PUT', '/bucket/key'],
    ['DELETE', '/bucket/key'],
  ])('%s %s with an Origin: 403, although it has a signature', async (method, target) => {
    const response = await send(method, target.replace('/bucket', `/${engine.bucket}`), { origin: 'https://a.test' });
    expect([response.status, await codeOf(response)]).toEqual([403, 'AccessDenied']);
  });

  test('a presigned list with an Origin: 403', async () => {
    const wanted = requestTo(`/${engine.bucket}`, { 'list-type': '2' }, UNSIGNED);
    const { query = {} } = await signer().presign(wanted, { expiresIn: 300 });
    const url = `${engine.endpoint}/${engine.bucket}?${queryString(query)}`;
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url, { headers: { origin: 'https://a.test' } })).status).toBe(403);
  });

  test.each([
    ['with an Origin', { authorization: 'a', origin: 'https://a.test' }],
    ['with the Origin of a sandboxed page', { authorization: 'a', origin: 'null' }],
    ['without Authorization, as a form sends it', {}],
  ])('a message %s: 403, and not stored', async (_, more) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.SendMessage',
      ...(more as Record<string, string>),
    };
    const body = JSON.stringify({ QueueUrl: engine.queueUrl, MessageBody: '{}' });
    expect((await fetch(engine.endpoint, { method: 'POST', headers, body })).status).toBe(403);
    expect(await engine.receive()).toEqual([]);
  });

  test('a preflight: 403 without permitted headers', async () => {
    const headers = { origin: 'https://a.test', 'access-control-request-method': 'POST' };
    const response = await fetch(engine.endpoint, { method: 'OPTIONS', headers });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([403, null]);
  });

  /** Sends a request to the engine's address, with any host. */
  const statusFor = async (host: string, path: string, headers: Record<string, string> = {}): Promise<number> => {
    const { hostname, port } = new URL(engine.endpoint);
    const [response] = await once(request({ hostname, port, path, headers: { host, ...headers } }).end(), 'response');
    response.resume();
    return response.statusCode;
  };

  test.each(['evil.test', 'localhost', '127.0.0.1:1'])('the host %s, as in DNS rebinding: 403', async (host) => {
    expect(await statusFor(host, file, { authorization: 'a' })).toBe(403);
  });

  test('the host name that containers use: 200', async () => {
    const host = `engines:${new URL(engine.endpoint).port}`;
    const wanted = requestTo(file, {}, { ...UNSIGNED, host });
    const { query = {} } = await signer().presign(wanted, { expiresIn: 300 });
    expect(await statusFor(host, `${file}?${queryString(query)}`)).toBe(200);
  });
});

describe('multipart uploads', () => {
  const PART = Buffer.alloc(5 * 2 ** 20);
  const upload = { Bucket: engine.bucket, Key: 'acct_1/parts' };

  interface Parts {
    readonly numbers: readonly number[];
    readonly declared?: 'CRC32' | 'SHA256';
    readonly sent?: 'CRC32';
    readonly body?: Buffer;
  }

  /** Uploads parts of these numbers, with checksums of the algorithms that the upload declares and that are sent. */
  const complete = async ({ numbers, declared, sent, body: Body = PART }: Parts) => {
    const begun = await engine.s3.send(
      new CreateMultipartUploadCommand({ ...upload, ...(declared && { ChecksumAlgorithm: declared }) }),
    );
    const UploadId = begun.UploadId as string;
    const Parts = [];
    for (const PartNumber of numbers) {
      const part = { ...upload, UploadId, PartNumber, Body, ...(sent && { ChecksumAlgorithm: sent }) };
      const { ETag, ChecksumCRC32 } = await engine.s3.send(new UploadPartCommand(part));
      Parts.push({ PartNumber, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) });
    }
    return engine.s3.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload: { Parts } }));
  };

  const REFUSED: readonly (readonly [string, Parts, string])[] = [
    ['of number 0', { numbers: [0] }, 'InvalidArgument'],
    ['of number 10,001', { numbers: [10_001] }, 'InvalidArgument'],
    ['with a checksum that the upload did not declare', { numbers: [1], sent: 'CRC32' }, 'InvalidRequest'],
    ['with another checksum than declared', { numbers: [1], declared: 'SHA256', sent: 'CRC32' }, 'InvalidRequest'],
    ['without the declared checksum', { numbers: [1], declared: 'CRC32' }, 'InvalidRequest'],
    ['with checksums and a gap', { numbers: [1, 3], declared: 'CRC32', sent: 'CRC32' }, 'InvalidPartOrder'],
    ['below 5 MiB that is not the last', { numbers: [1, 2], body: PART.subarray(1) }, 'EntityTooSmall'],
  ];
  test.each(partOf(REFUSED, 3))('a part %s: refused as by S3', async (_, parts, name) => {
    await expect(complete(parts)).rejects.toMatchObject({ name });
  });

  test.each<[string, Parts]>([
    ['with checksums, numbered from 1', { numbers: [1, 2], declared: 'CRC32', sent: 'CRC32' }],
    ['without checksums, numbered with gaps', { numbers: [2, 5] }],
  ])('parts %s: completed', async (_, parts) => {
    await complete(parts);
    expect((await engine.read('acct_1/parts')).length).toBe(2 * PART.length);
  });
});
