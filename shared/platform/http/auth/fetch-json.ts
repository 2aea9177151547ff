import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';

const clients: Readonly<Record<string, typeof getSecure>> = { 'http:': getPlain, 'https:': getSecure };

/**
 * The JSON document at a URL; no redirect is followed. Node's own clients, which the AWS SDK uses anyway: loading
 * `fetch` is a fifth of a cold start's CPU (docs/benchmarks.md), so it serves other schemes only, such as `data:`.
 * @throws Error when there is no such document, or it does not come in time
 */
export const download = async (url: string, milliseconds: number): Promise<unknown> => {
  const signal = AbortSignal.timeout(milliseconds);
  const client = clients[new URL(url).protocol];
  if (!client) return (await fetch(url, { signal })).json();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    client(url, { agent: false, signal, headers: { accept: 'application/json' } }, resolve).once('error', reject);
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
  return JSON.parse(text);
};
