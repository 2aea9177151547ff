import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import createCreditNote from './credit-notes/create.ts';
import getCreditNote from './credit-notes/get.ts';
import listCreditNotes from './credit-notes/list.ts';
import createCustomer from './customers/create.ts';
import deleteCustomer from './customers/delete.ts';
import getCustomer from './customers/get.ts';
import listCustomers from './customers/list.ts';
import replaceCustomer from './customers/replace.ts';
import updateCustomer from './customers/update.ts';
import getEvent from './events/get.ts';
import listEvents from './events/list.ts';
import cancelExport from './exports/cancel.ts';
import createExport from './exports/create.ts';
import getExport from './exports/get.ts';
import getExportFile from './exports/get-file.ts';
import listExports from './exports/list.ts';
import createInvoiceItem from './invoice-items/create.ts';
import deleteInvoiceItem from './invoice-items/delete.ts';
import getInvoiceItem from './invoice-items/get.ts';
import listInvoiceItems from './invoice-items/list.ts';
import replaceInvoiceItem from './invoice-items/replace.ts';
import updateInvoiceItem from './invoice-items/update.ts';
import cancelInvoice from './invoices/cancel.ts';
import createInvoice from './invoices/create.ts';
import deleteInvoice from './invoices/delete.ts';
import getInvoice from './invoices/get.ts';
import getInvoicePayment from './invoices/get-payment.ts';
import listInvoices from './invoices/list.ts';
import listInvoicePayments from './invoices/list-payments.ts';
import reopenInvoice from './invoices/reopen.ts';
import replaceInvoice from './invoices/replace.ts';
import updateInvoice from './invoices/update.ts';
import createNumberSeries from './number-series/create.ts';
import deleteNumberSeries from './number-series/delete.ts';
import getNumberSeries from './number-series/get.ts';
import listNumberSeries from './number-series/list.ts';
import updateNumberSeries from './number-series/update.ts';
import createPayment from './payments/create.ts';
import getPayment from './payments/get.ts';
import listPayments from './payments/list.ts';
import voidPayment from './payments/void.ts';
import createRefund from './refunds/create.ts';
import getRefund from './refunds/get.ts';
import listRefunds from './refunds/list.ts';
import apiCatalog from './service/api-catalog.ts';
import docs from './service/docs.ts';
import docsFile from './service/docs-file.ts';
import fallback from './service/fallback.ts';
import health from './service/health.ts';
import llms from './service/llms.ts';
import openapi from './service/openapi.ts';
import openapiV1 from './service/openapi-v1.ts';
import openapiV2 from './service/openapi-v2.ts';
import problem from './service/problem.ts';
import problems from './service/problems.ts';
import protectedResource from './service/protected-resource.ts';
import root from './service/root.ts';
import getDelivery from './webhook-deliveries/get.ts';
import listDeliveries from './webhook-deliveries/list.ts';
import retryDelivery from './webhook-deliveries/retry.ts';
import createWebhook from './webhook-endpoints/create.ts';
import deleteWebhook from './webhook-endpoints/delete.ts';
import getWebhook from './webhook-endpoints/get.ts';
import listWebhooks from './webhook-endpoints/list.ts';
import rewindWebhook from './webhook-endpoints/rewind.ts';
import rotateWebhookSecret from './webhook-endpoints/rotate-secret.ts';
import testWebhook from './webhook-endpoints/test.ts';
import updateWebhook from './webhook-endpoints/update.ts';

const routed = {
  'customers/list': listCustomers,
  'customers/create': createCustomer,
  'customers/get': getCustomer,
  'customers/update': updateCustomer,
  'customers/replace': replaceCustomer,
  'customers/delete': deleteCustomer,
  'invoices/list': listInvoices,
  'invoices/create': createInvoice,
  'invoices/get': getInvoice,
  'invoices/update': updateInvoice,
  'invoices/replace': replaceInvoice,
  'invoices/delete': deleteInvoice,
  'invoices/cancel': cancelInvoice,
  'invoices/reopen': reopenInvoice,
  'invoices/list-payments': listInvoicePayments,
  'invoices/get-payment': getInvoicePayment,
  'invoice-items/list': listInvoiceItems,
  'invoice-items/create': createInvoiceItem,
  'invoice-items/get': getInvoiceItem,
  'invoice-items/update': updateInvoiceItem,
  'invoice-items/replace': replaceInvoiceItem,
  'invoice-items/delete': deleteInvoiceItem,
  'payments/list': listPayments,
  'payments/create': createPayment,
  'payments/get': getPayment,
  'payments/void': voidPayment,
  'refunds/list': listRefunds,
  'refunds/create': createRefund,
  'refunds/get': getRefund,
  'credit-notes/list': listCreditNotes,
  'credit-notes/create': createCreditNote,
  'credit-notes/get': getCreditNote,
  'number-series/list': listNumberSeries,
  'number-series/create': createNumberSeries,
  'number-series/get': getNumberSeries,
  'number-series/update': updateNumberSeries,
  'number-series/delete': deleteNumberSeries,
  'exports/list': listExports,
  'exports/create': createExport,
  'exports/get': getExport,
  'exports/get-file': getExportFile,
  'exports/cancel': cancelExport,
  'events/list': listEvents,
  'events/get': getEvent,
  'webhook-endpoints/list': listWebhooks,
  'webhook-endpoints/create': createWebhook,
  'webhook-endpoints/get': getWebhook,
  'webhook-endpoints/update': updateWebhook,
  'webhook-endpoints/delete': deleteWebhook,
  'webhook-endpoints/rotate-secret': rotateWebhookSecret,
  'webhook-endpoints/test': testWebhook,
  'webhook-endpoints/rewind': rewindWebhook,
  'webhook-deliveries/list': listDeliveries,
  'webhook-deliveries/get': getDelivery,
  'webhook-deliveries/retry': retryDelivery,
  'service/health': health,
  'service/api-catalog': apiCatalog,
  'service/protected-resource': protectedResource,
  'service/openapi': openapi,
  'service/openapi-v1': openapiV1,
  'service/openapi-v2': openapiV2,
  'service/llms': llms,
  'service/docs': docs,
  'service/docs-file': docsFile,
  'service/problem': problem,
  'service/problems': problems,
  'service/root': root,
} satisfies Record<string, Endpoint>;

/** Every endpoint by the name of its file. Lambdas, routes, grants and tests derive from this table. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...routed,
  'service/fallback': fallback(Object.values(routed)),
};
