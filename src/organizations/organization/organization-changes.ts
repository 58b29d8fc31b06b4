import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../infrastructure/database';
import { Signals } from '../../infrastructure/signals';

const CHANGED = 'organization.changed';

type Listener = (organizationId: string) => void;

/** A member with a new role or state. */
export interface ChangedMember {
  readonly organizationId: string;
  readonly userId: string;
  /** The directory deleted the account: its credentials stay dead when it is enabled again. */
  readonly hasEnded?: true;
}
type MemberListener = (member: ChangedMember, tx: Transaction) => Promise<void>;

/**
 * Tells caches about changes of an organization, its settings, members or credentials. Caches of other replicas get a
 * signal; without it they expire after 5 s.
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

  /** Call it after the commit, never inside the transaction. */
  announce(organizationId: string): void {
    this.signals.publish(CHANGED, organizationId);
  }

  /** Runs inside the transaction of the change: for data that ends with a role. */
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
