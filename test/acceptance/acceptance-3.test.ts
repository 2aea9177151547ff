import { testGroups } from './test-groups.ts';

await testGroups(2);
