import { afterAll, afterEach, test as jestTest } from '@jest/globals';
import { isDeep } from '#test/support/extent/extent.ts';
import { type Capability, hasAll } from './capabilities.ts';
import { openClient, type Service } from './client.ts';
import { openDeployed } from './deployed.ts';

/*
 * Tests that send only requests, so that they run in `npm test` against the handlers in this process, and in
 * `npm run acceptance` against a deployment (`BASE_URL`).
 */

/** The last requests of this file, in words. */
let lastRequests: () => readonly string[] = () => [];

interface Options {
  /** Whether each response is compared with docs/openapi.json. Default: in the full extents of the tests. */
  readonly documented?: boolean;
}

/** Opens the service for a test file, in accounts of its own, and deletes after its tests what they created. */
export const openService = async ({ documented = isDeep }: Options = {}): Promise<Service> => {
  // The handlers and engines load only when they serve the requests.
  const deployment = process.env['BASE_URL']
    ? await openDeployed(process.env)
    : await (await import('./in-process.ts')).openInProcess();
  const { service, ...client } = openClient(deployment, documented);
  lastRequests = client.lastRequests;
  afterEach(client.endTest);
  afterAll(async () => {
    await client.endFile();
    await deployment.stop();
  });
  return service;
};

/** Adds a text to the message of an error. Jest prints the message in the stack. */
const extendMessage = (error: Error, text: string): void => {
  const message = `${error.message}\n${text}`;
  const stack = error.stack?.replace(error.message, () => message);
  Object.assign(error, { message, ...(stack && { stack }) });
};

type Run = () => Promise<unknown>;

/** Runs a test; its failure says which requests came before. */
const withRequests =
  (run: Run): (() => Promise<void>) =>
  async () => {
    try {
      await run();
    } catch (error) {
      if (error instanceof Error) extendMessage(error, ['\nLast requests:', ...lastRequests()].join('\n'));
      throw error;
    }
  };

const define =
  (needs: readonly Capability[]) =>
  (title: string, run: Run): void =>
    (hasAll(needs) ? jestTest : jestTest.skip)(title, withRequests(run));

/** Defines a test that needs a token. It is skipped without one of these capabilities. */
export const testWith = (...needs: readonly Capability[]) => define(['tokens', ...needs]);

/** A test that needs a token. */
export const test = testWith();

/** A test that needs no token. */
export const publicTest = define([]);
