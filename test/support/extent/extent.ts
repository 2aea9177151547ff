/** Whether the tests run in their full extents: `npm run test:deep`. */
export const isDeep = process.env['TEST_EXTENT'] === 'deep';

/** Every `part`-th of the cases in `npm test`, from the `from`-th on; all cases in `npm run test:deep`. */
export const partOf = <T>(cases: readonly T[], part: number, from = 0): readonly T[] =>
  isDeep ? cases : cases.filter((_, i) => i % part === from % part);

/** The distance between the AWS calls at which a test injects a fault: each call in `npm run test:deep`. */
export const stride = (part: number): number => (isDeep ? 1 : part);

/** AWS's DynamoDB Local is several times slower than dynoxide. */
const SHARE = process.env['DYNAMODB_LOCAL_ENDPOINT'] ? 0.5 : 1;

/** The size of a test: a part of it in `npm test`, so that it takes minutes less. `RUNS=…` overrides both. */
export const extent = ({ full, part }: { readonly full: number; readonly part: number }): number =>
  Number(process.env['RUNS'] ?? (isDeep ? full : Math.ceil(part * SHARE)));
