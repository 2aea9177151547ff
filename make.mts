import { makeDatabase } from '/tmp/w/bench/bench/database.ts';
import { rmSync, mkdirSync } from 'node:fs';
const n=+process.argv[2]; const dir='/tmp/bx/db'+n; rmSync(dir,{recursive:true,force:true}); mkdirSync(dir);
console.time('made'); console.log(await makeDatabase(dir,n,()=>{})); console.timeEnd('made');
