import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject } from '../../kernel';
import { DATABASE, type OpenDatabase, type Write } from '../database';
import { Signals } from '../signals';

const CHANGED = 'rows.changed';

/** `organizationId` null: of any organization. */
type Handler = (organizationId: string | null) => void;

/**
 * Tells which tables were written: by this process before the writing call returns, by another replica within milliseconds.
 * Signals of others may get lost, and commands send none: what listens must also expire.
 */
@Injectable()
export class TableChanges {
  private readonly handlers = new Map<string, Set<Handler>>();

  constructor(
    @Inject(DATABASE) { writes }: Pick<OpenDatabase, 'writes'>,
    private readonly signals: Signals,
  ) {
    writes.on((write) => this.wrote(write));
    signals.on(CHANGED, (payload) => this.heard(payload));
  }

  /** The handler must not throw. */
  on(tables: readonly string[], handler: Handler): void {
    for (const table of tables) this.handlers.set(table, (this.handlers.get(table) ?? new Set()).add(handler));
  }

  private wrote({ tables, organizationId }: Write): void {
    const heeded = [...tables].filter((table) => this.handlers.has(table));
    if (heeded.length > 0) this.signals.publish(CHANGED, JSON.stringify({ tables: heeded, organizationId }));
  }

  /** The signals call this in the writing process, too. */
  private heard(payload: string): void {
    const told: unknown = JSON.parse(payload);
    if (!isJsonObject(told) || !Array.isArray(told['tables'])) return;
    const organizationId = typeof told['organizationId'] === 'string' ? told['organizationId'] : null;
    const handlers = new Set(told['tables'].flatMap((table) => [...(this.handlers.get(String(table)) ?? [])]));
    for (const handler of handlers) handler(organizationId);
  }
}
