import { GROUPS } from './operations.ts';

export declare const data: typeof GROUPS;

export default { load: () => GROUPS };
