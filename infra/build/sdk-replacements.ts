import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A class that nothing here makes; should something do so after all, it says what is missing. */
const absent = (name: string): string =>
  `export class ${name} { constructor() { throw new Error('${name} is not in this bundle, see infra/build/sdk-replacements.ts.'); } }`;

/**
 * Files of the AWS SDK that no Lambda uses but every client imports, by what replaces them. A replacement that lacks an
 * imported name fails the build, and so does a file that the build does not meet any more.
 */
const CUTS: Readonly<Record<string, string>> = {
  // A Lambda's credentials are its environment's: no profile, single sign-on, container or instance gives it others.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    import { fromEnv } from '@aws-sdk/credential-provider-env';
    import { memoize } from '@smithy/core/config';
    export const defaultProvider = (init) => memoize(fromEnv(init));`,
  // Calls at the top level, which esbuild must keep with all that they name: every bundle would hold the SDK.
  '@aws-sdk/lib-dynamodb/dist-es/pagination/index.js': 'export {};',
  // Neither DynamoDB nor SQS streams events, and of S3 only SelectObjectContent, which is not used; the formatter is
  // made for every client.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `${absent('EventStreamSerde')}
    export const resolveEventStreamSerdeConfig = (config) => config;
    export const eventStreamSerdeProvider = () => undefined;`,
  // Made for every client, used for Timestream alone.
  '@aws-sdk/endpoint-cache/dist-es/index.js': 'export class EndpointCache {}',
};

/** The paths that end in a file of a package, on any system. */
const pathsTo = (file: string): RegExp => {
  const segments = ['node_modules', ...file.split('/')];
  const patterns = segments.map((segment) => segment.replaceAll('.', '\\.'));
  return new RegExp(`${patterns.join('[/\\\\]')}$`);
};

/** Replaces the files of {@link CUTS}, every one of which a whole build must meet. */
export const cuts: Plugin = {
  name: 'cuts',
  setup(build) {
    const met = new Set<string>();
    for (const [file, instead] of Object.entries(CUTS)) {
      build.onLoad({ filter: pathsTo(file) }, ({ path }) => {
        met.add(file);
        return { contents: instead, resolveDir: dirname(path) };
      });
    }
    build.onEnd(({ errors }) => {
      const missed = errors.length > 0 ? [] : Object.keys(CUTS).filter((file) => !met.has(file));
      return {
        errors: missed.map((file) => ({
          text: `Nothing imports ${file} any more: see infra/build/sdk-replacements.ts.`,
        })),
      };
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
