import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';

/** How long an address lets its holder download, in seconds (CONTRACT §9). */
const SECONDS = 300;

/** The DNS suffix of each AWS partition, by the beginning of its regions' names. */
const SUFFIXES: readonly (readonly [regions: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
];

const suffixOf = (region: string): string =>
  SUFFIXES.find(([regions]) => region.startsWith(regions))?.[1] ?? 'amazonaws.com';

/** A Lambda's credentials are its environment's, for as long as it runs. */
const credentials = async () => {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  const token = AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN };
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, ...token };
};

/**
 * Makes addresses of one account's files: the account is part of every key (§5). An address is signed here, with no
 * call to S3 and without its client, which is half as large as an endpoint's whole bundle.
 */
export class PresignedDownloads {
  readonly #bucket: string | undefined;
  readonly #account: string;

  constructor(bucket: string | undefined, account: string) {
    this.#bucket = bucket;
    this.#account = account;
  }

  /**
   * The address of a file, for whoever has it.
   * @param filename what a browser calls the file
   */
  async url(name: string, filename: string): Promise<string> {
    const { AWS_REGION: region = '', AWS_ENDPOINT_URL_S3: local } = process.env;
    const key = `/${this.#account}/${name}`;
    const url = local
      ? new URL(`${local}/${this.#bucket}${key}`)
      : new URL(`https://${this.#bucket}.s3.${region}.${suffixOf(region)}${key}`);
    const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
    const headers = { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const query = { 'response-content-disposition': `attachment; filename="${filename}"` };
    const { protocol, hostname, pathname: path } = url;
    const request = { method: 'GET', protocol, hostname, path, headers, query };
    const signed = await signer.presign(request, { expiresIn: SECONDS });
    const pairs = Object.entries(signed.query as Record<string, string>);
    url.search = pairs.map(([parameter, value]) => `${parameter}=${encodeURIComponent(value)}`).join('&');
    return url.href;
  }
}
