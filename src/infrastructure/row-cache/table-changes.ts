import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject } from '../../kernel';
import { DATABASE, type OpenDatabase, type Write } from '../database';
import { Signals } from '../signals';

const CHANGED = 'rows.changed';

/** `organizationId` null: of any organization. */
type Handler = (organizationId: string | null) => void;

/**
 * Tells handlers which tables were written: by this process before the writing call returns, by another replica within
 * milliseconds. Signals of other replicas may get lost, and commands send none, so cached values must also expire.
 */
@Injectable()
export class TableChanges {
  private readonly handlers = new Map<string, Set<Handler>>();

  constructor(
    @Inject(DATABASE) { writes }: Pick<OpenDatabase, 'writes'>,
    private readonly signals: Signals,
  ) {
    writes.on((write) => this.publish(write));
    signals.on(CHANGED, (payload) => this.receive(payload));
  }

  /** The handler must not throw. */
  on(tables: readonly string[], handler: Handler): void {
    for (const table of tables) this.handlers.set(table, (this.handlers.get(table) ?? new Set()).add(handler));
  }

  private publish({ tables, organizationId }: Write): void {
    const handled = [...tables].filter((table) => this.handlers.has(table));
    if (handled.length > 0) this.signals.publish(CHANGED, JSON.stringify({ tables: handled, organizationId }));
  }

  /** Signals also reach the process that sent them. */
  private receive(payload: string): void {
    const write: unknown = JSON.parse(payload);
    if (!isJsonObject(write) || !Array.isArray(write['tables'])) return;
    const organizationId = typeof write['organizationId'] === 'string' ? write['organizationId'] : null;
    const handlers = new Set(write['tables'].flatMap((table) => [...(this.handlers.get(String(table)) ?? [])]));
    for (const handler of handlers) handler(organizationId);
  }
}
