import { dirname, join } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import { findJava, startDynamoDbLocal } from './dynamodb-local.ts';
import { findDynoxide, startDynoxide } from './dynoxide.ts';
import type { DynamoEngine } from './engine.ts';

const INSTALL_JAVA: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'brew install --cask temurin',
  linux: 'sudo apt-get install default-jre-headless',
  win32: 'winget install EclipseAdoptium.Temurin.21.JRE',
};

/** Sets a variable for one command, in the shell of the system. */
const withVariable = (variable: string, value: string, command: string): string =>
  process.platform === 'win32' ? `set "${variable}=${value}" && ${command}` : `${variable}=${value} ${command}`;

/** `-sharedDb`: the data does not depend on the keys of a start. */
const DOCKER = 'docker run -d -p 127.0.0.1:8000:8000 amazon/dynamodb-local -jar DynamoDBLocal.jar -inMemory -sharedDb';

const noEngine = (): CliError => {
  const java = INSTALL_JAVA[process.platform] ?? 'https://adoptium.net';
  return new CliError(
    `No embedded DynamoDB runs here: npm has no dynoxide for ${process.platform}-${process.arch}, and Java 17 or newer, \
which AWS's DynamoDB Local needs, is not on the PATH or in JAVA_HOME. Use one of these:
  Java      ${java}
            npm start
  Docker    ${DOCKER}
            ${withVariable('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:8000', 'npm start')}
  dynoxide  ${withVariable('DYNOXIDE_BIN', '/path/to/dynoxide', 'npm start')}
npm test needs Java or dynoxide. docs/engines.md has more.`,
  );
};

/** @throws CliError that says how to get an engine, without Java 17 or newer */
export const requireJava = async (): Promise<string> => {
  const java = await findJava();
  if (java) return java;
  throw noEngine();
};

/**
 * Starts the embedded DynamoDB: dynoxide, or DynamoDB Local on systems without a binary.
 * @param file dynoxide's database file, next to which DynamoDB Local has a directory; in memory without it
 */
export const startDynamo = async (file?: string): Promise<DynamoEngine> => {
  const dynoxide = findDynoxide();
  if (dynoxide) return startDynoxide(dynoxide, file);
  return startDynamoDbLocal(await requireJava(), file && join(dirname(file), 'dynamodb-local'));
};
