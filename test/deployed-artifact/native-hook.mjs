import { registerHooks } from 'node:module';

/** Has the runtime client find our stand-in where it looks for its native part; nothing else is touched. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: new URL('native.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
