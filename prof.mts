// usage: prof.mts n before|EVER [service|peer] [node options]
import { mkdirSync, existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { S3Client } from '@aws-sdk/client-s3';
import { startDynamo } from '/tmp/w/bench/local/engine.ts';
import { openQueueAndFiles } from '/tmp/w/bench/local/queue-and-files.ts';
import { createTables, tableVariables } from '/tmp/w/bench/local/tables.ts';
import { dynamo } from '/tmp/w/bench/shared/data/client.ts';
import { committer } from '/tmp/w/bench/shared/data/commit.ts';
import { stores } from '/tmp/w/bench/shared/data/stores.ts';
import { makeBuilds } from '/tmp/w/bench/bench/builds.ts';
import { exported } from '/tmp/w/bench/bench/exporter.ts';
const [n, which='service', times='1', before='9999-12-31T23:59:59.999Z'] = process.argv.slice(2);
mkdirSync('/tmp/bx/builds',{recursive:true});
const builds = await makeBuilds('/tmp/bx/builds');
if (process.env.PROF) { const {build}=await import('esbuild'); const {options}=await import('/tmp/w/bench/infra/bundle.ts'); await build({...options('/tmp/bx/builds/service'),minify:false}); }
const db = await startDynamo(`/tmp/bx/db${n}/invoices.db`);
Object.assign(process.env,{AWS_LAMBDA_FUNCTION_NAME:'bench',AWS_EXECUTION_ENV:'AWS_Lambda_nodejs24.x',AWS_REGION:'eu-central-1',AWS_ACCESS_KEY_ID:'bench',AWS_SECRET_ACCESS_KEY:'bench',AWS_SESSION_TOKEN:'bench'}, tableVariables(),{AWS_ENDPOINT_URL_DYNAMODB:db.endpoint,EXPORTS_BUCKET:'exports',EXPORTS_QUEUE_URL:'http://127.0.0.1/000000000000/exports'});
await createTables(db.endpoint);
const { engine } = await openQueueAndFiles(process.env, undefined);
const client=dynamo(); const names=Object.fromEntries(Object.values(tableVariables()).map(n=>[n,n])) as never;
const s3=new S3Client({forcePathStyle:true});
const office={stores:stores({client,names},'acct_1'),commit:committer({client,names}),s3,bucket:'exports'};
for(let i=0;i<+times;i++) for(const w of which.split(',')){
 const r=await exported((builds.exporters as any)[w],office,before);
 const k=r.job.row_count; console.log(w,k,'rows; wall µs/row',(r.milliseconds*1000/k).toFixed(1),'cpu µs/row',(r.cpu*1000/k).toFixed(1),'peak MB',(r.peak/2**20).toFixed(0),JSON.stringify(r.calls),'bytes',r.job.size_bytes,r.job.sha256.slice(0,8));
}
client.destroy(); s3.destroy(); await db.stop(); await engine?.stop();
