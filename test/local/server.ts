import { checkout } from './checkout.ts';
import { run } from './command.ts';

/** The whole service in a process of its own, including its workers, as `npm start` runs it. */
export interface RunningServer {
  readonly url: string;
  /** Its checkout. */
  readonly root: string;
  /** Its `DATA_DIR`. */
  readonly directory: string;
  /** The token of an admin of `acct_1`, which has no data. */
  readonly token: string;
  stop(): Promise<void>;
}

/**
 * @param node arguments of Node
 * @param options of `npm start`
 */
export const startServer = async (
  node: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<RunningServer> => {
  const copy = await checkout();
  const directory = `${copy.root}/data`;
  const server = run(copy.root, [...node, 'local/start.ts', ...options], {
    ...variables,
    PORT: '0',
    DATA_DIR: directory,
  });
  const stop = async () => {
    server.child.kill('SIGTERM');
    await server.end();
    await copy.remove();
  };
  try {
    await server.untilPrinted(/^curl .*\n/m);
  } catch (error) {
    await stop();
    throw error;
  }
  const [, url = '', token = ''] = /^ready (\S+)\ncurl .*Bearer ([^']+)'$/m.exec(server.out.stdout) ?? [];
  return { url, root: copy.root, directory, token, stop };
};
