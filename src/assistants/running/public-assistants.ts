import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { CallerMonitor } from '../../auth';
import { FreshCache } from '../../infrastructure/cache';
import { AcrossOrganizations } from '../../infrastructure/database';
import { Signals } from '../../infrastructure/signals';
import { MembersService, OrganizationChanges, OrganizationStatusService } from '../../organizations';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import type { RunningRow } from '../storage/running-rows.repository';
import { AssistantCompiler } from './assistant-compiler';
import { CachedAssistant, UNKNOWN_SHARES } from './cached-assistant';

const CHANGED = 'assistant.changed';

interface AssistantChangeListener {
  assistant(organizationId: string, id: number): void;
  organization(organizationId: string): void;
}

/** Invalidates caches of an assistant on all replicas. Runs of its organization are checked again. */
@Injectable()
export class AssistantChanges {
  private readonly listeners = new Set<AssistantChangeListener>();

  constructor(
    private readonly signals: Signals,
    private readonly callers: CallerMonitor,
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

  /** Tells every process of a change, after the commit of every write. */
  announce(organizationId: string, id: number): void {
    this.signals.publish(CHANGED, `${organizationId}/${id}`);
  }

  private tell(key: string): void {
    const [organizationId = '', id = ''] = key.split('/');
    for (const listener of this.listeners) listener.assistant(organizationId, Number(id));
    this.callers.recheck(organizationId);
  }
}

const MAX_AGE_MS = 5_000;
const MAX_ORGANIZATIONS = 2_000;
const EVERYWHERE = 'everywhere';

/**
 * Assistants published to all organizations, for callers of other organizations. Their organization must export
 * assistants, the caller's must import them, and neither may be suspended.
 */
@Injectable()
export class PublicAssistants {
  private readonly published = new FreshCache<string, readonly CachedAssistant[]>({
    maxAge: MAX_AGE_MS,
    max: 1,
    load: () => this.load(),
  });
  private readonly importing = new FreshCache<string, boolean>({
    maxAge: MAX_AGE_MS,
    max: MAX_ORGANIZATIONS,
    load: (organizationId) => this.imports(organizationId),
  });

  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly status: OrganizationStatusService,
    private readonly compiler: AssistantCompiler,
  ) {}

  /** Assistants sorted by id; at most 5 s old. */
  async of(caller: Caller): Promise<readonly CachedAssistant[]> {
    if (!(await this.importing.get(caller.organizationId))) return [];
    return (await this.published.get(EVERYWHERE)).filter((each) => reaches(caller, each));
  }

  /** Reads fresh rows. */
  async isUsable(caller: Caller, id: number): Promise<boolean> {
    if (!(await this.imports(caller.organizationId))) return false;
    return (await this.load(id)).some((each) => reaches(caller, each));
  }

  forget(): void {
    this.published.clear();
    this.importing.clear();
  }

  @AcrossOrganizations('calls')
  private async imports(organizationId: string): Promise<boolean> {
    const own = (await this.status.of([organizationId])).get(organizationId);
    return own !== undefined && !own.suspended && own.features.assistants_import;
  }

  @AcrossOrganizations('calls')
  private async load(id?: number): Promise<readonly CachedAssistant[]> {
    const rows = await this.assistants.publishedToAll(id);
    if (rows.length === 0) return [];
    const organizations = await this.status.of(rows.map(({ organizationId }) => organizationId));
    const active = new Map<string, boolean>();
    const offered: RunningRow[] = [];
    for (const row of rows) {
      const organization = organizations.get(row.organizationId);
      if (organization === undefined || organization.suspended || !organization.features.assistants_export) continue;
      const owner = `${row.organizationId}/${row.ownerId}`;
      if (!active.has(owner)) active.set(owner, await this.isActive(row));
      if (active.get(owner) === true) offered.push(row);
    }
    return offered.map((row) => new CachedAssistant(row, UNKNOWN_SHARES, false, this.compiler));
  }

  private async isActive({ organizationId, ownerId }: AssistantEntity): Promise<boolean> {
    return (await this.members.find(organizationId, ownerId))?.disabled === false;
  }
}

/** False within the organization, where other rights apply. */
const reaches = ({ organizationId, assistantIds }: Caller, { row }: CachedAssistant): boolean =>
  row.organizationId !== organizationId && (assistantIds === null || assistantIds.includes(row.id));
