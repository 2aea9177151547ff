import {
  Configuration,
  CustomersV1Api,
  InvoicesV1Api,
  PaymentsV1Api,
  type Problem,
  ResponseError,
} from '../output/typescript-fetch/index.ts';
import { AMOUNT, API, idOf, report, TOKEN } from './report.ts';

const configuration = new Configuration({ basePath: API, accessToken: TOKEN });
const customers = new CustomersV1Api(configuration);
const invoices = new InvoicesV1Api(configuration);

const customerCreationV1 = { name: 'Ada', address: { city: 'London' } };
const created = await customers.createCustomerV1({ customerCreationV1 });
const { id: customerId = 0 } = await customers.getCustomerV1({ customerId: idOf(created) });
const invoice = await invoices.createInvoiceV1({ invoiceCreationV1: { customerId, totalCents: AMOUNT } });
await new PaymentsV1Api(configuration).createPaymentV1({
  idempotencyKey: crypto.randomUUID(),
  paymentCreationV1: { invoiceId: idOf(invoice), amountCents: AMOUNT },
});
const page = await invoices.listInvoicesV1({ fields: ['id', 'status', 'total_cents'], customerId });
const rows = page.data.map(({ id, status, totalCents }) => ({ id, status, total_cents: totalCents }));
const error = await invoices.createInvoiceV1({ invoiceCreationV1: { currency: 'usd' } }).then(
  () => undefined,
  async (failure: unknown) => {
    if (failure instanceof ResponseError) return (await failure.response.json()) as Problem;
    throw failure;
  },
);

report({ customer: { id: customerId }, invoice, rows, next: page.nextCursor, error });
