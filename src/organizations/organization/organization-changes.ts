import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../platform/database';
import { Signals } from '../../platform/signals';

const CHANGED = 'organization.changed';

type Listener = (organizationId: string) => void;

/** Whose role or state is another now. */
export interface ChangedMember {
  readonly organizationId: string;
  readonly userId: string;
}
type MemberListener = (member: ChangedMember, tx: Transaction) => Promise<void>;

/**
 * Tells caches that an organization, its settings, its members or its credentials changed: those of this process at once,
 * those of other replicas by a signal. A signal may get lost; then their caches expire after 5 s.
 */
@Injectable()
export class OrganizationChanges {
  private readonly listeners = new Set<Listener>();
  private readonly memberListeners = new Set<MemberListener>();

  constructor(private readonly signals: Signals) {
    signals.on(CHANGED, (organizationId) => this.tell(organizationId));
  }

  on(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** To be called after the commit, never inside the transaction. */
  announce(organizationId: string): void {
    this.signals.publish(CHANGED, organizationId);
  }

  /** For what ends with a member's role: part of the change itself, so that no replica and no crash comes between. */
  onMember(listener: MemberListener): void {
    this.memberListeners.add(listener);
  }

  async memberChanged(member: ChangedMember, tx: Transaction): Promise<void> {
    for (const listener of this.memberListeners) await listener(member, tx);
  }

  private tell(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}
