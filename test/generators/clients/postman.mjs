import { readFileSync } from 'node:fs';
import newman from 'newman';

/** Sends requests of the converted collection, edited as a person would edit them in Postman. */
const { variable, item } = JSON.parse(readFileSync(new URL('../output/postman.json', import.meta.url), 'utf8'));

const v1 = item.find(({ name }) => name === 'v1').item;
const request = (folder, name) => v1.find((one) => one.name === folder).item.find((one) => one.name === name);
const setHeader = ({ request: { header } }, key, value) => {
  header.find((one) => one.key === key).value = value;
};
const setBody = ({ request: { body } }, name, value) => {
  body.raw = body.raw.replace(new RegExp(`"${name}": \\d+`), `"${name}": ${value}`);
};
const enable = ({ request: { url } }, key, value) =>
  Object.assign(
    url.query.find((one) => one.key === key),
    { disabled: false, value },
  );

const customer = request('customers', 'Create a customer');
const invoice = request('invoices', 'Create an invoice');
const payment = request('payments', 'Create a payment');
const list = request('invoices', 'List invoices');
const failing = structuredClone(invoice);

setBody(invoice, 'customer_id', '{{customer_id}}');
setBody(invoice, 'total_cents', 3000000000);
setBody(payment, 'invoice_id', '{{invoice_id}}');
setBody(payment, 'amount_cents', 3000000000);
setHeader(payment, 'Idempotency-Key', '{{$guid}}');
enable(list, 'fields', 'id,status,total_cents');
enable(list, 'customer_id', '{{customer_id}}');
setBody(failing, 'total_cents', -1);

/** Stores the id of a response in a variable of the collection. */
const storeId = (one, name) => {
  const exec = [`pm.collectionVariables.set('${name}', pm.response.json().id)`];
  one.event.push({ listen: 'test', script: { type: 'text/javascript', exec } });
};
storeId(customer, 'customer_id');
storeId(invoice, 'invoice_id');

const { API, TOKEN } = process.env;
const collection = { info: { name: 'four calls' }, variable, item: [customer, invoice, payment, list, failing] };
const envVar = Object.entries({ baseUrl: API, bearerToken: TOKEN }).map(([key, value]) => ({ key, value }));
newman.run({ collection, envVar }, (error, { run }) => {
  if (error) throw error;
  const [created, billed, , page, failed] = run.executions.map(({ response }) => response.json());
  const { data: rows, next_cursor: next } = page;
  console.log(JSON.stringify({ customer: created.id, invoice: billed.id, rows, next, code: failed.code }));
});
