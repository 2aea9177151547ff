import type { PublicContext, PublicOperation } from '#shared/platform/http/endpoint.ts';
import { type Handler, type Received, when } from '#shared/platform/http/pipeline/steps/step.ts';

export const executePublic: Handler<Received, PublicOperation, PublicContext> = {
  name: 'executePublic',
  reads: ({ files }) => (files ? ['If-None-Match', 'Accept-Encoding'] : []),
  refuses: ({ refuses = [] }) => refuses,
  writes: ({ files, redirectsTo }, status) => {
    if (status >= 400) return [];
    return ['Cache-Control', ...when(files, 'ETag', 'Vary'), ...when(redirectsTo, 'Location')];
  },
  handle: async ({ method, rawPath, headers: sent, pathParameters }, { endpoint, read, downloadOrigin, issuer }) => {
    const path = Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, text = '']) => [name, text]));
    const reply = await endpoint.handle({ method, rawPath, headers: sent, path }, { read, downloadOrigin, issuer });
    const { status: statusCode, content, headers } = reply;
    if (content === undefined) return { statusCode, headers: { ...headers } };
    if (typeof content === 'string') return { statusCode, headers: { ...headers }, body: content };
    return { statusCode, headers: { ...headers }, body: content.toString('base64'), isBase64Encoded: true };
  },
};
