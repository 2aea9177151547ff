import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Sends requests of the imported collection, edited as a person would edit them in Bruno. */
const COLLECTION = fileURLToPath(new URL('../output/Invoicing', import.meta.url));
const BRU = fileURLToPath(new URL('../node_modules/@usebruno/cli/bin/bru.js', import.meta.url));

const CUSTOMER = 'Customers_v1/Create a customer.yml';
const INVOICE = 'Invoices_v1/Create an invoice.yml';
const PAYMENT = 'Payments_v1/Create a payment.yml';
const LIST = 'Invoices_v1/List invoices.yml';
const FAILING = 'Invoices_v1/Create a wrong invoice.yml';

const edit = (file, ...replacements) => {
  const path = `${COLLECTION}/${file}`;
  const edited = replacements.reduce(
    (text, [from, to]) => {
      if (!from.test(text)) throw new Error(`${file} has no ${from}.`);
      return text.replace(from, to);
    },
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, edited);
};

copyFileSync(`${COLLECTION}/${INVOICE}`, `${COLLECTION}/${FAILING}`);
// The variables of the ids are those that the imported links set.
edit(
  INVOICE,
  [/"customer_id": \d+/, '"customer_id": {{getCustomerV1_customer_id}}'],
  [/"total_cents": \d+/, '"total_cents": 3000000000'],
);
edit(
  PAYMENT,
  [/"invoice_id": \d+/, '"invoice_id": {{getInvoiceV1_invoice_id}}'],
  [/"amount_cents": \d+/, '"amount_cents": 3000000000'],
  [/(name: Idempotency-Key\n +value: ).*/, '$1"{{$guid}}"'],
);
edit(LIST, [
  /\/v1\/invoices(?="$)/m,
  '/v1/invoices?fields=id,status,total_cents&customer_id={{getCustomerV1_customer_id}}',
]);
edit(FAILING, [/"total_cents": \d+/, '"total_cents": -1']);

const { API, TOKEN } = process.env;
const variables = ['--env-var', `baseUrl=${API}`, '--env-var', `token=${TOKEN}`];
const options = ['--env', 'Local service', ...variables, '--reporter-json', 'report.json'];
const files = [CUSTOMER, INVOICE, PAYMENT, LIST, FAILING];
execFileSync(process.execPath, [BRU, 'run', ...files, ...options], { cwd: COLLECTION, stdio: ['ignore', 2, 2] });

const [{ results }] = JSON.parse(readFileSync(`${COLLECTION}/report.json`, 'utf8'));
const [customer, invoice, , page, failed] = results.map(({ response }) => response.data);
const { data: rows, next_cursor: next } = page;
console.log(JSON.stringify({ customer: customer.id, invoice: invoice.id, rows, next, code: failed.code }));
