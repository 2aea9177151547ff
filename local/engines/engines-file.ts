import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectory } from '#local/settings/private-files.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { LOCAL } from './credentials.ts';

const NAMES = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
];

export const enginesFile = (directory: string): string => join(directory, 'engines.env');

/**
 * Writes `engines.env`, which a shell reads so that the AWS CLI can reach the embedded engines (docs/engines.md). It
 * contains the region and the variables that this start has set, but not the variables of its environment.
 */
export const writeEnginesFile = async (directory: string, before: Environment, after: Environment): Promise<void> => {
  const local: Environment = LOCAL;
  const isSet = (name: string) => after[name] !== before[name] || after[name] === local[name];
  const set = NAMES.filter(isSet).map((name) => [name, after[name]]);
  // The AWS CLI and the SDK read the region from different variables.
  const region = ['AWS_REGION', 'AWS_DEFAULT_REGION'].map((name) => [name, after['AWS_REGION']]);
  await openDirectory(directory);
  const lines = [...set, ...region].map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(enginesFile(directory), lines.join(''), { mode: 0o600 });
};
