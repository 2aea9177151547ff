import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/*
 * Workarounds that esbuild applies, so that they stand with the build and not in shared/platform/workarounds. All gains
 * are CPU time of a cold start, and bytes (22 November 2026, Node 24.21.0, @aws-sdk 3.1162.0).
 */

/**
 * Files of the AWS SDK that no Lambda uses but every client imports, by what replaces them. A replacement that lacks an
 * imported name fails the build, and so does a file that the build does not meet any more.
 */
const SDK_REPLACEMENTS: Readonly<Record<string, string>> = {
  // Issue: every client imports the credential providers for profiles, single sign-on, containers and instances.
  // Symptom: each bundle holds and loads them; the credentials of a Lambda are those of its environment.
  // Gain: 14 %, and 139 KB of 440. Remove when: the SDK loads providers on demand.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    import { fromEnv } from '@aws-sdk/credential-provider-env';
    import { memoize } from '@smithy/core/config';
    export const defaultProvider = (init) => memoize(fromEnv(init));`,
  // Issue: calls at the top level, which esbuild keeps with everything that they name.
  // Symptom: bundles that use no table hold the DynamoDB client.
  // Gain: 32 % and 177 KB of 236 in service-health; nothing where the client is used. Remove when: the package marks the
  // calls as pure.
  '@aws-sdk/lib-dynamodb/dist-es/pagination/index.js': 'export {};',
  // Issue: every client makes a formatter of event streams; DynamoDB and SQS have no streams, and of S3 only
  // SelectObjectContent, which is not used.
  // Symptom: each bundle holds and loads it. Gain: 5 %, and 19 KB of 320. Remove when: the SDK loads it on demand.
  '@smithy/core/dist-es/submodules/event-streams/index.js': `
    export class EventStreamSerde {
      constructor() { throw new Error('EventStreamSerde is not in this bundle, see infra/build/sdk-replacements.ts.'); }
    }
    export const resolveEventStreamSerdeConfig = (config) => config;
    export const eventStreamSerdeProvider = () => undefined;`,
  // Issue: every client makes a cache of discovered endpoints, which Timestream alone uses.
  // Symptom: each bundle holds it. Gain: 1 %, and 8 KB of 309, without which four bundles exceed their limit
  // (test/deployed-artifact/bundle). Remove when: they do not.
  '@aws-sdk/endpoint-cache/dist-es/index.js': 'export class EndpointCache {}',
};

/** The paths that end in a file of a package, on any system. */
const pathsTo = (file: string): RegExp => {
  const segments = ['node_modules', ...file.split('/')];
  const patterns = segments.map((segment) => segment.replaceAll('.', '\\.'));
  return new RegExp(`${patterns.join('[/\\\\]')}$`);
};

/** Replaces the files of {@link SDK_REPLACEMENTS}, every one of which a whole build must meet. */
export const replaceSdkFiles: Plugin = {
  name: 'cuts',
  setup(build) {
    const met = new Set<string>();
    for (const [file, instead] of Object.entries(SDK_REPLACEMENTS)) {
      build.onLoad({ filter: pathsTo(file) }, ({ path }) => {
        met.add(file);
        return { contents: instead, resolveDir: dirname(path) };
      });
    }
    build.onEnd(({ errors }) => {
      const missed = errors.length > 0 ? [] : Object.keys(SDK_REPLACEMENTS).filter((file) => !met.has(file));
      return {
        errors: missed.map((file) => ({
          text: `Nothing imports ${file} any more: see infra/build/sdk-replacements.ts.`,
        })),
      };
    });
  },
};

/**
 * Takes Node's modules from `process`, as Lambda's runtime does, instead of by `import`.
 *
 * Issue: `import` reads every export of a module, also those that load on demand, such as `fetch` in `node:http`.
 * Symptom: a cold start loads undici.
 * Gain: 14 to 20 %. Remove when: `import` of a Node module leaves its lazy exports alone.
 */
export const useBuiltinModules: Plugin = {
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
export const leanBundle = [replaceSdkFiles, useBuiltinModules];
