import type { Metric, MoneyMetric } from './metrics.ts';
import type { Act } from './policy.ts';
import type { ProblemCode } from './problems/catalogue.ts';
import type { ProblemAmount } from './problems/explanations.ts';
import type { Message, QueueName } from './queues.ts';
import type { Scope } from './roles.ts';
import type { Stores } from './stores.ts';
import type { TableName } from './tables.ts';

declare module '#shared/platform/product.ts' {
  interface Product {
    /** Codes of problems (CONTRACT §10). */
    readonly code: ProblemCode;
    /** Amounts that problems hold. */
    readonly problemAmount: ProblemAmount;
    /** Scopes of tokens (CONTRACT §2). */
    readonly scope: Scope;
    /** Actions on which conditional rules decide (CONTRACT §2). */
    readonly act: Act;
    readonly stores: Stores;
    readonly table: TableName;
    /** What is counted for each account. */
    readonly counter: 'unfinished_exports';
    readonly queue: QueueName;
    readonly message: Message;
    readonly metric: Metric;
    /** Metrics of amounts, by currency. */
    readonly moneyMetric: MoneyMetric;
  }
}
