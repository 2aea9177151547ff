/** Arguments of Node: a program in which timers of these times, in milliseconds, take weeks. */
export const withoutTimers = (...times: readonly number[]): readonly string[] => {
  const script = `
    import promises from 'node:timers/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const later = (ms) => (${JSON.stringify(times)}.includes(ms) ? 2 ** 31 - 1 : ms);
    const { setInterval, setTimeout } = globalThis;
    globalThis.setInterval = (act, ms, ...rest) => setInterval(act, later(ms), ...rest);
    globalThis.setTimeout = (act, ms, ...rest) => setTimeout(act, later(ms), ...rest);
    const sleep = promises.setTimeout;
    promises.setTimeout = (ms, ...rest) => sleep(later(ms), ...rest);
    syncBuiltinESMExports();
  `;
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
};
