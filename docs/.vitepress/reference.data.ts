import { GROUPS, PROBLEMS } from './reference-index.ts';

const reference = { groups: GROUPS, problems: PROBLEMS };

export declare const data: typeof reference;

export default { load: () => reference };
