import { assertCurrent, type Caller, isUuid, notFound } from '@bellwether/kernel';
import type { AuditLog } from './audit-log';
import type { RowChanges, Transaction, Transactions, VersionedRow, VersionedScope } from '../database';

export interface ResourceKind<Row extends VersionedRow> {
  /** Name in the audit log, e.g. `rubric`. */
  readonly type: string;
  /** Name in error details, e.g. `Rubric`. */
  readonly label: string;
  readonly within: (caller: Caller, tx?: Transaction) => VersionedScope<Row>;
  /** @throws {AppError} `not_found`, `forbidden` */
  readonly assertMayChange: (caller: Caller, row: Row) => void;
}

export interface VersionedRequest {
  readonly caller: Caller;
  readonly id: string;
  /** Version that the change is based on; null accepts any. */
  readonly expected: number | null;
}

/** New column values, and the parts that the audit log shows. */
export interface VersionedChange<Row> {
  readonly values: RowChanges<Row>;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Decides under the row lock; `null` changes nothing. */
type Plan<Row> = (row: Row, tx: Transaction) => VersionedChange<Row> | null | Promise<VersionedChange<Row> | null>;

/**
 * Optimistic locking (RFC 9110 §13.1.1) for one kind of resource: a change checks the expected version under a row lock and
 * commits the next version together with its audit entry.
 */
export class VersionedResource<Row extends VersionedRow> {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly kind: ResourceKind<Row>,
  ) {}

  /** Returns the row afterwards. @throws {AppError} `precondition_failed` for a stale version */
  change(request: VersionedRequest, verb: string, plan: Plan<Row>): Promise<Row> {
    return this.locked(request, async (row, tx) => {
      const change = await plan(row, tx);
      if (change === null) return row;
      const { values, ...shown } = change;
      const next = await this.kind.within(request.caller, tx).advance(row, values);
      await this.record(request, verb, shown, tx);
      return next;
    });
  }

  /** @throws {AppError} `precondition_failed` for a stale version */
  remove(request: VersionedRequest, before: (row: Row) => unknown): Promise<void> {
    return this.locked(request, async (row, tx) => {
      await this.kind.within(request.caller, tx).removeVersion(row);
      await this.record(request, 'delete', { before: before(row) }, tx);
    });
  }

  /** Rejects a stale version before taking the row lock, and checks it again under the lock. */
  private async locked<T>(request: VersionedRequest, work: (row: Row, tx: Transaction) => Promise<T>): Promise<T> {
    if (request.expected !== null) await this.current(request, (scope) => scope.find(request.id));
    return this.transactions.run(async (tx) =>
      work(await this.current(request, (scope) => scope.lock(request.id), tx), tx),
    );
  }

  private async current(
    { caller, id, expected }: VersionedRequest,
    read: (scope: VersionedScope<Row>) => Promise<Row | null>,
    tx?: Transaction,
  ): Promise<Row> {
    const row = isUuid(id) ? await read(this.kind.within(caller, tx)) : null;
    if (row === null) throw notFound(this.kind.label);
    this.kind.assertMayChange(caller, row);
    assertCurrent(expected, row.version);
    return row;
  }

  private record(
    { caller, id }: VersionedRequest,
    verb: string,
    shown: { readonly before?: unknown; readonly after?: unknown },
    tx: Transaction,
  ): Promise<void> {
    const { type } = this.kind;
    return this.audit.record({ caller, action: `${type}.${verb}`, target: { type, id }, ...shown }, tx);
  }
}
