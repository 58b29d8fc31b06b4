import { Injectable } from '@nestjs/common';

type Listener = (organizationId: string) => void;

/** Tells caches of this process that an organization, its settings or its members changed. Other replicas wait out their caches' 5 s. */
@Injectable()
export class OrganizationChanges {
  private readonly listeners = new Set<Listener>();

  on(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** To be called after the commit, never inside the transaction. */
  announce(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}
