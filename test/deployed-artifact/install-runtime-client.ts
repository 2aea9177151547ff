import { execFileSync } from 'node:child_process';
import startEngine from '#test/support/engine/start-engine.ts';

/** Jest's global setup of the project deployed-artifact. */
export default async (): Promise<void> => {
  execFileSync('npm', ['ci', '--silent', '--prefix', 'test/deployed-artifact/runtime-client'], { stdio: 'inherit' });
  await startEngine();
};
