import { CliError } from '#local/cli/cli-error.ts';
import { findDynoxide } from '#local/engines/dynoxide.ts';

/** The figures are comparable only on the same engine, so no other engine replaces dynoxide here. */
export const requireDynoxide = (): string => {
  const program = findDynoxide();
  if (program) return program;
  throw new CliError('npm run bench needs dynoxide: set DYNOXIDE_BIN to its binary.');
};
