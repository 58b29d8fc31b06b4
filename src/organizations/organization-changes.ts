import { Injectable } from '@nestjs/common';
import type { Transaction } from '../platform/database';

type Listener = (organizationId: string) => void;

/** Whose role or state is another now. */
export interface ChangedMember {
  readonly organizationId: string;
  readonly userId: string;
}
type MemberListener = (member: ChangedMember, tx: Transaction) => Promise<void>;

/** Tells caches of this process that an organization, its settings or its members changed. Other replicas wait out their caches' 5 s. */
@Injectable()
export class OrganizationChanges {
  private readonly listeners = new Set<Listener>();
  private readonly memberListeners = new Set<MemberListener>();

  on(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** To be called after the commit, never inside the transaction. */
  announce(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }

  /** For what ends with a member's role: part of the change itself, so that no replica and no crash comes between. */
  onMember(listener: MemberListener): void {
    this.memberListeners.add(listener);
  }

  async memberChanged(member: ChangedMember, tx: Transaction): Promise<void> {
    for (const listener of this.memberListeners) await listener(member, tx);
  }
}
