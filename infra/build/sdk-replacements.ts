import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/*
 * Workarounds that are part of the build, and therefore not in shared/platform/workarounds. Every gain is CPU time of a
 * cold start, and bytes (22 November 2026, Node 24.21.0, @aws-sdk 3.1162.0).
 */

/**
 * Replacements for files of the AWS SDK that every client imports and no Lambda uses. The build fails if a replacement
 * lacks an imported name, or if no bundle imports the file any more.
 */
const SDK_REPLACEMENTS: Readonly<Record<string, string>> = {
  // Issue: every client imports the credential providers for profiles, single sign-on, containers and instances.
  // Symptom: each bundle contains and loads them; a Lambda's credentials are in its environment.
  // Gain: 14 %, and 139 KB of 440. Remove when: the SDK loads providers on demand.
  '@aws-sdk/credential-provider-node/dist-es/index.js': `
    import { fromEnv } from '@aws-sdk/credential-provider-env';
    import { memoize } from '@smithy/core/config';
    export const defaultProvider = (init) => memoize(fromEnv(init));`,
};

/** Matches the paths that end in a file of a package, on every operating system. */
const pathsTo = (file: string): RegExp => {
  const segments = ['node_modules', ...file.split('/')];
  const patterns = segments.map((segment) => segment.replaceAll('.', '\\.'));
  return new RegExp(`${patterns.join('[/\\\\]')}$`);
};

export const replaceSdkFiles: Plugin = {
  name: 'sdk-replacements',
  setup(build) {
    const imported = new Set<string>();
    for (const [file, replacement] of Object.entries(SDK_REPLACEMENTS)) {
      build.onLoad({ filter: pathsTo(file) }, ({ path }) => {
        imported.add(file);
        return { contents: replacement, resolveDir: dirname(path) };
      });
    }
    build.onEnd(({ errors }) => {
      const unused = errors.length > 0 ? [] : Object.keys(SDK_REPLACEMENTS).filter((file) => !imported.has(file));
      return {
        errors: unused.map((file) => ({
          text: `No bundle imports ${file} any more: remove it from infra/build/sdk-replacements.ts.`,
        })),
      };
    });
  },
};

/**
 * Loads Node's modules from `process`, as Lambda's runtime does, instead of with `import`.
 *
 * Issue: `import` reads every export of a module, also exports that load on demand, such as `fetch` in `node:http`.
 * Symptom: a cold start loads undici. Gain: 14 to 20 %. Remove when: `import` of a Node module does not evaluate its
 * lazy exports.
 */
export const useBuiltinModules: Plugin = {
  name: 'builtin-modules',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path }) => {
      if (!isBuiltin(path)) return undefined;
      return { path: path.replace(/^node:/, ''), namespace: 'builtin', sideEffects: false };
    });
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Keeps only the name and the version of a package.json, of the project and of the SDK's clients.
 *
 * Issue: each client imports the whole file for its version. Gain: 2.4 KB for each client. Remove when: the clients
 * import the version alone.
 */
const versionOfPackages: Plugin = {
  name: 'version-of-packages',
  setup(build) {
    build.onLoad({ filter: /[/\\]package\.json$/ }, async ({ path }) => {
      const { name, version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ name, version }), loader: 'json' };
    });
  },
};

export const sdkPlugins = [replaceSdkFiles, useBuiltinModules, versionOfPackages];
