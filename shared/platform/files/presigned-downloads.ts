import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';
import { bucketUrl } from './bucket-url.ts';
import { fileKey } from './file-key.ts';

/** CONTRACT §9 */
const EXPIRES_S = 300;

const credentials = async () => {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  const token = AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN };
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, ...token };
};

/** Signs without the S3 client, which is half as large as an endpoint's bundle. Every key contains the account (§5). */
export class PresignedDownloads {
  readonly #bucket: string | undefined;
  readonly #account: string;

  constructor(bucket: string | undefined, account: string) {
    this.#bucket = bucket;
    this.#account = account;
  }

  /**
   * @param filename the name under which a browser saves the file
   * @param method the only method that S3 accepts for the URL
   */
  async url(name: string, filename: string, method: 'GET' | 'HEAD'): Promise<string> {
    const { AWS_REGION: region = '' } = process.env;
    const url = new URL(`${bucketUrl(String(this.#bucket))}/${fileKey(this.#account, name)}`);
    const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
    const headers = { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const query = { 'response-content-disposition': `attachment; filename="${filename}"` };
    const { protocol, hostname, pathname: path } = url;
    const request = { method, protocol, hostname, path, headers, query };
    const signedRequest = await signer.presign(request, { expiresIn: EXPIRES_S });
    const pairs = Object.entries(signedRequest.query as Record<string, string>);
    url.search = pairs.map(([parameter, value]) => `${parameter}=${encodeURIComponent(value)}`).join('&');
    return url.href;
  }
}
