import { registerHooks } from 'node:module';

/** Resolves the native part of the runtime client to native.cjs. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: new URL('native.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
