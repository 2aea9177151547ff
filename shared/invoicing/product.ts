import type { AddressRules } from '#shared/platform/webhooks/address.ts';
import type { Metric, MoneyMetric } from './metrics.ts';
import type { Act } from './policy.ts';
import type { ProblemCode, Problems } from './problems.ts';
import type { Message, QueueName } from './queues.ts';
import type { Scope } from './roles.ts';
import type { Stores } from './stores.ts';
import type { TableName } from './tables.ts';

declare module '#shared/platform/product.ts' {
  interface Product {
    readonly code: ProblemCode;
    readonly problems: Problems;
    readonly scope: Scope;
    /** An action that a conditional rule decides on (CONTRACT §2). */
    readonly act: Act;
    readonly stores: Stores;
    readonly table: TableName;
    /** A counter of each account. */
    readonly counter: 'unfinished_exports' | 'webhook_endpoints';
    readonly settings: { readonly webhookAddresses: AddressRules };
    readonly queue: QueueName;
    readonly message: Message;
    readonly metric: Metric;
    readonly moneyMetric: MoneyMetric;
  }
}
