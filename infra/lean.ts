import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A class that nothing here makes; should something do so after all, it says what is missing. */
const absent = (name: string): string =>
  `export class ${name} { constructor() { throw new Error('${name} is not in this bundle, see infra/lean.ts.'); } }`;

/** The SDK's clients import their whole package.json for its version. */
const versionOf = (json: string): string => `export default { version: ${JSON.stringify(JSON.parse(json).version)} };`;

/** What DynamoDB's operations on items throw. */
const ITEM_FAULTS = [
  'ConditionalCheckFailedException',
  'IdempotentParameterMismatchException',
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ResourceNotFoundException',
  'ThrottlingException',
  'TransactionCanceledException',
  'TransactionConflictException',
  'TransactionInProgressException',
];

/**
 * The SDK has a class for each fault, most of them of tables, backups, exports and imports. One without is thrown all
 * the same, as a DynamoDBServiceException with its name.
 */
const ofItems = (schemas: string): string => {
  const met = new Set<string>();
  const registered = /^export var (\w+)\$ = \[-3, [^;]*;\nn0_registry\.registerError\(\1\$, \1\);$/gm;
  const kept = schemas.replaceAll(registered, (schema, fault) => {
    met.add(fault);
    return ITEM_FAULTS.includes(fault) ? schema : '';
  });
  const missed = ITEM_FAULTS.filter((fault) => !met.has(fault));
  if (missed.length > 0) throw new Error(`The SDK does not register ${missed.join(', ')}: see infra/lean.ts.`);
  return kept;
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
  // Made for every client, used for Timestream alone.
  '@aws-sdk/endpoint-cache/dist-es/index.js': 'export class EndpointCache {}',
  // AWS_RETRY_MODE=adaptive: the service bounds its attempts itself (shared/data/client.ts).
  '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js': absent('AdaptiveRetryStrategy'),
  // For a Node without OpenSSL.
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
  '@aws-sdk/client-dynamodb/dist-es/schemas/schemas_0.js': ofItems,
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
