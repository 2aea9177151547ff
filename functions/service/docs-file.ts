import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { contentHash, fileReply } from '#shared/platform/http/file.ts';
import { ProblemError } from '#shared/platform/problem.ts';

const FOREVER = 'public, max-age=31536000, immutable';

const SCRIPTS = ['reference', 'page'];

/** Scripts may be cached forever, because their names contain a hash of their content. */
export default publicEndpoint({
  route: 'GET /docs/{file}',
  summary: 'Get a file of the documentation page',
  description: 'Returns a script of the documentation page, the changelog, or the tokens that a local server offers.',
  produces: {
    'text/javascript': { type: 'string' },
    'text/plain': { type: 'string' },
    'application/json': {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, token: { type: 'string' } },
        required: ['name', 'token'],
      },
    },
  },
  files: ['reference.js.gz', 'page.js.gz', 'changelog.txt.gz', 'tokens.json.gz'],
  refuses: ['not-found'],

  async handle(input, { read }) {
    const name = input.path['file'] ?? '';
    if (name === 'tokens.json') {
      const tokens = await read('tokens.json.gz');
      return fileReply(input, tokens, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    }
    if (name === 'changelog.txt')
      return fileReply(input, await read('changelog.txt.gz'), {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
      });
    const [, script = '', tag] = /^(\w+)-(\w+)\.js$/.exec(name) ?? [];
    if (!SCRIPTS.includes(script)) throw new ProblemError('not-found');
    const gzippedScript = await read(`${script}.js.gz`);
    if (contentHash(gzippedScript) !== tag) throw new ProblemError('not-found');
    return fileReply(input, gzippedScript, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': FOREVER,
    });
  },
});
