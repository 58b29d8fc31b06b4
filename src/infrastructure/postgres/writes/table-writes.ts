import { LRUCache } from 'lru-cache';
import type { Reach } from '../../context';

/** Rows that a statement or a transaction has changed. */
export interface Write {
  readonly tables: ReadonlySet<string>;
  /** null: rows of several organizations. */
  readonly organizationId: string | null;
}

export type WriteHandler = (write: Write) => void;

/** Also matches words that are no table, such as `skip` in `FOR UPDATE SKIP LOCKED`: they have no handler. */
const WRITE =
  /\b(?:insert\s+into|merge\s+into|update|delete\s+from|truncate(?:\s+table)?|copy)\s+(?:only\s+)?"?([a-z_]+)/gi;
const READ = /^\s*select\b/i;
const MOST_TEXTS = 500;

/** Tells handlers, after the commit, which tables a pool has written. It does not see cascades of foreign keys. */
export class TableWrites {
  private readonly handlers = new Set<WriteHandler>();

  on(handler: WriteHandler): void {
    this.handlers.add(handler);
  }

  emit(write: Write): void {
    for (const handler of this.handlers) handler(write);
  }
}

/** Collects what the statements of one connection write. */
export class WriteObserver {
  private tables = new Set<string>();
  private organizations = new Set<string | null>();

  constructor(private readonly writes: TableWrites) {}

  /** Notes a statement that has ended. Inside a transaction, handlers hear of it when the transaction ends. */
  ended(text: string, reach: Reach, isInTransaction: boolean): void {
    const written = tablesWritten(text);
    for (const table of written) this.tables.add(table);
    if (written.length > 0)
      this.organizations.add(reach !== null && 'organizationId' in reach ? reach.organizationId : null);
    if (isInTransaction || this.tables.size === 0) return;
    const { tables, organizations } = this;
    this.tables = new Set();
    this.organizations = new Set();
    const [only = null] = organizations;
    this.writes.emit({ tables, organizationId: organizations.size === 1 ? only : null });
  }
}

const known = new LRUCache<string, readonly string[]>({ max: MOST_TEXTS });

function tablesWritten(text: string): readonly string[] {
  if (READ.test(text)) return [];
  const found = known.get(text);
  if (found !== undefined) return found;
  const tables = [...new Set([...text.matchAll(WRITE)].map(([, name = '']) => name.toLowerCase()))];
  known.set(text, tables);
  return tables;
}
