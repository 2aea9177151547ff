import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A class that nothing here makes; should something do so after all, it says what is missing. */
const absent = (name: string): string =>
  `export class ${name} { constructor() { throw new Error('${name} is not in this bundle, see infra/lean.ts.'); } }`;

/** The SDK's clients import their whole package.json for its version. */
const versionOf = (json: string): string => `export default { version: ${JSON.stringify(JSON.parse(json).version)} };`;

/** The regions of the world by their descriptions; what the SDK asks of them, the patterns of their names answer. */
const unnamed = (partitions: string): string =>
  partitions.replaceAll(/"regions": \{[^{}]*(\{[^{}]*\}[^{}]*)*\}/g, '"regions": {}');

const PARTITION = `import { partition } from '@aws-sdk/core/client';`;

/**
 * A service's address in a Lambda's own region, or the one that an `AWS_ENDPOINT_URL_…` names. The SDK works that out
 * by rules, which it interprets, for accounts', FIPS and dual-stack addresses, too.
 */
export const regional = (service: string): string => `${PARTITION}
  export const defaultEndpointResolver = ({ Endpoint, Region, UseFIPS, UseDualStack }) => {
    if (UseFIPS || UseDualStack) throw new Error('No FIPS or dual-stack address is in this bundle, see infra/lean.ts.');
    const url = new URL(Endpoint ?? 'https://${service}.' + Region + '.' + partition(Region).dnsSuffix);
    return { url, properties: {}, headers: {} };
  };`;

/** Keys by their values: esbuild keeps what has a computed one, used or not, for to compute it might do something. */
const plain = (schemas: string): string => {
  const constants = new Map(
    [...schemas.matchAll(/^const (_\w+) = ("[^"]*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return schemas.replaceAll(/\[(_\w+)\]:/g, (key, name) => (constants.has(name) ? `${constants.get(name)}:` : key));
};

/**
 * The SDK has a class for each fault of a service. One without is thrown all the same, as the service's exception with
 * its name and its HTTP status, and it is these that the SDK and the service tell passing faults by.
 * @param faults whose class says more than that
 */
const schemasWith =
  (...faults: readonly string[]) =>
  (schemas: string): string => {
    const met = new Set<string>();
    const registered = /^export var (\w+)\$ = \[-3, [^;]*;\nn0_registry\.registerError\(\1\$, \1\);$/gm;
    const kept = schemas.replaceAll(registered, (schema, fault) => {
      met.add(fault);
      return faults.includes(fault) ? schema : '';
    });
    const missed = faults.filter((fault) => !met.has(fault));
    if (missed.length > 0 || met.size === 0) throw new Error(`The SDK does not register ${missed}: see infra/lean.ts.`);
    return plain(kept);
  };

/**
 * Files of the AWS SDK that no Lambda uses but every client imports, by what stands in their place. A stand-in that
 * lacks an imported name fails the build, and so does a file that is no longer there to be replaced. `*` is one
 * segment.
 */
const CUTS: Readonly<Record<string, string | ((text: string) => string)>> = {
  // A Lambda's credentials are its environment's: no profile, single sign-on, container or instance gives it others.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    import { fromEnv } from '@aws-sdk/credential-provider-env';
    import { memoize } from '@smithy/core/config';
    export const defaultProvider = (init) => memoize(fromEnv(init));`,
  // A Lambda has no ~/.aws either. Without this, each setting missing from the environment reads two files.
  '@smithy/core/dist-es/submodules/config/node-config-provider/fromSharedConfigFiles.js': `
    import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
    export const fromSharedConfigFiles = () => async () => {
      throw new CredentialsProviderError('The environment does not have it, and no file is read.');
    };`,
  // The region of a computer (EC2); a Lambda's is in its environment, where the SDK looks first.
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js':
    'export const getInstanceMetadataRegion = async () => undefined;',
  '@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js': unnamed,
  // Powertools' buffer for lines of a lower level, which is off.
  '@aws-lambda-powertools/logger/lib/esm/logBuffer.js': `${absent('CircularMap')} ${absent('SizedSet')}`,
  // A Lambda's Node is the one it is deployed with.
  '@aws-sdk/core/dist-es/submodules/client/emitWarningIfUnsupportedVersion.js': `
    export const state = {};
    export const emitWarningIfUnsupportedVersion = () => {};`,
  // What the SDK says of itself is put together anew for every call: a fiftieth of its CPU. This says who calls.
  '@aws-sdk/core/dist-es/submodules/client/middleware-user-agent/user-agent-middleware.js': `
    export const getUserAgentMiddlewareOptions = { name: 'getUserAgentMiddleware', step: 'build', override: true };
    export const userAgentMiddleware = () => (next) => (args) => {
      args.request.headers['user-agent'] = 'invoicing';
      return next(args);
    };
    export const getUserAgentPlugin = () => ({
      applyToStack: (stack) => stack.add(userAgentMiddleware(), getUserAgentMiddlewareOptions),
    });`,
  // Made for every client, used for Timestream alone.
  '@aws-sdk/endpoint-cache/dist-es/index.js': 'export class EndpointCache {}',
  // AWS_RETRY_MODE=adaptive: the service bounds its attempts itself (shared/data/client.ts).
  '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js': absent('AdaptiveRetryStrategy'),
  // For a Node without OpenSSL.
  '@smithy/core/dist-es/submodules/checksum/md5/Md5Js.js': absent('Md5Js'),
  '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js': absent('Sha256Js'),
  // Neither DynamoDB nor SQS streams events, and of S3 only SelectObjectContent, which is not used; the formatter is
  // made for every client.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `${absent('EventStreamSerde')}
    export const resolveEventStreamSerdeConfig = (config) => config;
    export const eventStreamSerdeProvider = () => undefined;`,
  '@smithy/signature-v4/dist-es/HeaderFormatter.js': 'export class HeaderFormatter {}',
  // Calls at the top level, which esbuild must keep with all that they name: every bundle would hold the SDK.
  '@aws-sdk/lib-dynamodb/dist-es/pagination/index.js': 'export {};',
  // Every hash there is, each with its WebAssembly; SHA-256 has a file of its own.
  'hash-wasm/dist/index.esm.js': `
    import { createSHA256 } from './sha256.umd.min.js';
    export { createSHA256 };`,
  '@aws-sdk/client-*/package.json': versionOf,
  '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js': regional('dynamodb'),
  '@aws-sdk/client-sqs/dist-es/endpoint/endpointResolver.js': regional('sqs'),
  // The item that a condition refused, why a transaction was cancelled, and what may be retried by its class alone.
  '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js': schemasWith(
    'ConditionalCheckFailedException',
    'TransactionCanceledException',
    'ReplicatedWriteConflictException',
  ),
  '@aws-sdk/client-sqs/dist-es/schemas/schemas_0.js': schemasWith(),
};

/** The paths that end in a file of a package, on any system. */
const pathsTo = (file: string): RegExp => {
  const segments = ['node_modules', ...file.split('/')];
  const patterns = segments.map((segment) => segment.replaceAll('.', '\\.').replaceAll('*', '[^/\\\\]+'));
  return new RegExp(`${patterns.join('[/\\\\]')}$`);
};

/** Replaces the files of {@link CUTS}, every one of which a whole build must meet. */
export const cuts: Plugin = {
  name: 'cuts',
  setup(build) {
    const met = new Set<string>();
    for (const [file, instead] of Object.entries(CUTS)) {
      build.onLoad({ filter: pathsTo(file) }, async ({ path }) => {
        met.add(file);
        const contents = typeof instead === 'string' ? instead : instead(await readFile(path, 'utf8'));
        return { contents, resolveDir: dirname(path) };
      });
    }
    build.onEnd(({ errors }) => {
      const missed = errors.length > 0 ? [] : Object.keys(CUTS).filter((file) => !met.has(file));
      return { errors: missed.map((file) => ({ text: `Nothing imports ${file} any more: see infra/lean.ts.` })) };
    });
  },
};

/**
 * Takes Node's own modules from `process`, as Lambda's runtime does, not by `import`: that reads every export of a
 * module, also those which load on demand, and `node:http` has some that load the whole of `fetch`. It is an eighth
 * of a cold start (docs/benchmarks.md).
 */
export const natives: Plugin = {
  name: 'natives',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path }) => {
      if (!isBuiltin(path)) return undefined;
      return { path: path.replace(/^node:/, ''), namespace: 'native', sideEffects: false };
    });
    build.onLoad({ filter: /./, namespace: 'native' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** What makes the bundles small and quick to start. */
export const lean = [cuts, natives];
