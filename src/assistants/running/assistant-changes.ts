import { Injectable } from '@nestjs/common';
import { CallerWatch } from '../../auth';
import { OrganizationChanges } from '../../organizations';
import { Signals } from '../../infrastructure/signals';

const CHANGED = 'assistant.changed';

export interface AssistantChangeListener {
  assistant(organizationId: string, id: number): void;
  organization(organizationId: string): void;
}

/** Invalidates caches of an assistant on all replicas. Runs of its organization are checked again. */
@Injectable()
export class AssistantChanges {
  private readonly listeners = new Set<AssistantChangeListener>();

  constructor(
    private readonly signals: Signals,
    private readonly callers: CallerWatch,
    organizations: OrganizationChanges,
  ) {
    organizations.on((organizationId) => {
      for (const listener of this.listeners) listener.organization(organizationId);
    });
    signals.on(CHANGED, (key) => this.tell(key));
  }

  on(listener: AssistantChangeListener): void {
    this.listeners.add(listener);
  }

  /** To be called after the commit of every write. */
  announce(organizationId: string, id: number): void {
    this.signals.publish(CHANGED, `${organizationId}/${id}`);
  }

  private tell(key: string): void {
    const [organizationId = '', id = ''] = key.split('/');
    for (const listener of this.listeners) listener.assistant(organizationId, Number(id));
    this.callers.recheck(organizationId);
  }
}
