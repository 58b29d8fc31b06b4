import { Injectable } from '@nestjs/common';
import { type Caller, isOrganizationAdmin, notFound } from '../../kernel';
import { MembersService, OrganizationsService } from '../../organizations';
import { FreshCache } from '../../platform/cache';
import { AssistantChanges } from './assistant-changes';
import { usesEverything } from '../access/assistant.permissions';
import type { RunnableAssistant } from '../access/assistant.types';
import { AssistantCompiler } from './assistant-compiler';
import { CachedAssistant } from './cached-assistant';
import { PublicAssistants } from './public-assistants';
import type { AssistantEntity } from '../storage/assistant.entity';
import type { AssistantShareEntity } from '../storage/assistant-share.entity';
import { AssistantRepository } from '../storage/assistant.repository';

/** Oldest cached state, should the signal of another replica get lost. */
const MAX_AGE_MS = 5_000;
const MAX_ASSISTANTS = 5_000;
/** Assistants of one cached page of a list. */
const PAGE = 1_000;
const MAX_PAGES = 50;

/** `visibleTo` as in `AssistantFilter`. */
type PageKey = readonly [
  organizationId: string,
  visibleTo: string | null,
  onlyIds: readonly number[] | null,
  after: number,
];

interface CachedPage {
  readonly organizationId: string;
  readonly assistants: readonly CachedAssistant[];
  readonly next: number | null;
}

export interface RunnablePage {
  readonly assistants: readonly RunnableAssistant[];
  /** The id after which the next page begins; null on the last one. */
  readonly next: number | null;
}

/** Cached assistants: an accepted request reaches its first byte without the database. */
@Injectable()
export class RunnableAssistants {
  private readonly single = new FreshCache<string, CachedAssistant | null>({
    maxAge: MAX_AGE_MS,
    max: MAX_ASSISTANTS,
    load: (key) => this.load(key),
  });
  private readonly pages = new FreshCache<string, CachedPage>({
    maxAge: MAX_AGE_MS,
    max: MAX_PAGES,
    load: (key) => this.loadPage(key),
  });

  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    private readonly compiler: AssistantCompiler,
    private readonly everywhere: PublicAssistants,
    private readonly changes: AssistantChanges,
  ) {
    changes.on({
      assistant: (organizationId, id) => this.drop(organizationId, id),
      organization: (organizationId) => this.dropOrganization(organizationId),
    });
  }

  /** @throws {AppError} `not_found` for missing, foreign, deleted and invisible assistants, and when the owner is gone. */
  async find(caller: Caller, id: number): Promise<RunnableAssistant> {
    const cached = await this.single.get(`${caller.organizationId}/${id}`);
    const runnable = cached?.for(caller) ?? (await this.foreign(caller, id));
    if (runnable === null) throw notFound('Assistant');
    return runnable;
  }

  /**
   * Checks the right to use it on fresh rows. A disabled owner ends no run: its tools lose access instead.
   * @throws {AppError} `not_found`
   */
  async assertUsable(caller: Caller, id: number): Promise<void> {
    const own = await this.read(caller.organizationId, id);
    if ((own?.accessOf(caller) ?? null) !== null) return;
    if (!(await this.everywhere.isUsable(caller, id))) throw notFound('Assistant');
  }

  /** Assistants whose id is greater than `after`, by id. An empty page may still have a next one. */
  async page(caller: Caller, after = 0): Promise<RunnablePage> {
    const { assistants, next } = await this.pages.get(JSON.stringify(await this.pageKey(caller, after)));
    const own = assistants.map((cached) => cached.for(caller)).filter((runnable) => runnable !== null);
    const foreign = (await this.everywhere.of(caller)).filter(({ row: { id } }) => id > after && id <= (next ?? id));
    if (foreign.length === 0) return { assistants: own, next };
    const all = [...own, ...foreign.map((cached) => cached.forUse())].sort((one, other) => one.id - other.id);
    return { assistants: all, next };
  }

  /** Ids of assistants that the caller owns or may edit by a share. */
  editableIds({ organizationId, userId }: Caller): Promise<number[]> {
    return this.assistants.within(organizationId).editableBy(userId);
  }

  /** For use only, after another service has decided that it may run. */
  granted(row: AssistantEntity): RunnableAssistant {
    return new CachedAssistant(row, [], false, this.compiler).forUse();
  }

  /** To be called after the commit of every write. */
  forget(organizationId: string, id: number): void {
    this.changes.announce(organizationId, id);
  }

  private drop(organizationId: string, id: number): void {
    this.single.delete(`${organizationId}/${id}`);
    this.pages.deleteWhere((page) => page.organizationId === organizationId);
    this.everywhere.forget();
  }

  private dropOrganization(organizationId: string): void {
    this.everywhere.forget();
    this.single.deleteWhere((cached) => cached === null || cached.row.organizationId === organizationId);
    this.pages.deleteWhere((page) => page.organizationId === organizationId);
  }

  private async foreign(caller: Caller, id: number): Promise<RunnableAssistant | null> {
    const found = (await this.everywhere.of(caller)).find(({ row }) => row.id === id);
    return found?.forUse() ?? null;
  }

  private async pageKey(caller: Caller, after: number): Promise<PageKey> {
    const seesAll =
      isOrganizationAdmin(caller) || (usesEverything(caller) && (await this.membersUseAll(caller.organizationId)));
    return [caller.organizationId, seesAll ? null : caller.userId, caller.assistantIds, after];
  }

  private async load(key: string): Promise<CachedAssistant | null> {
    const [organizationId = '', id = ''] = key.split('/');
    const found = await this.read(organizationId, Number(id));
    return found !== null && (await this.isActive(organizationId, found.row.ownerId)) ? found : null;
  }

  private async read(organizationId: string, id: number): Promise<CachedAssistant | null> {
    const scope = this.assistants.within(organizationId);
    const [row, shares] = await Promise.all([scope.find(id), scope.shares([id])]);
    if (row === null) return null;
    return new CachedAssistant(row, shares, await this.membersUseAll(organizationId), this.compiler);
  }

  private async loadPage(key: string): Promise<CachedPage> {
    const [organizationId, visibleTo, onlyIds, after] = JSON.parse(key) as PageKey;
    const scope = this.assistants.within(organizationId);
    const open = await this.membersUseAll(organizationId);
    const rows = await scope.next({ visibleTo, onlyIds }, after, PAGE);
    const shares = byAssistant(await scope.shares(rows.map(({ id }) => id)));
    const active = new Map<string, boolean>();
    for (const { ownerId } of rows)
      if (!active.has(ownerId)) active.set(ownerId, await this.isActive(organizationId, ownerId));
    const assistants = rows
      .filter(({ ownerId }) => active.get(ownerId) === true)
      .map((row) => new CachedAssistant(row, shares.get(row.id) ?? [], open, this.compiler));
    const next = rows.length < PAGE ? null : (rows.at(-1)?.id ?? null);
    return { organizationId, assistants, next };
  }

  private async membersUseAll(organizationId: string): Promise<boolean> {
    return (await this.organizations.runtime(organizationId)).features.members_can_use_all;
  }

  private async isActive(organizationId: string, userId: string): Promise<boolean> {
    const member = await this.members.find(organizationId, userId);
    return member !== null && !member.disabled;
  }
}

function byAssistant(shares: readonly AssistantShareEntity[]): Map<number, AssistantShareEntity[]> {
  const groups = new Map<number, AssistantShareEntity[]>();
  for (const share of shares) groups.set(share.assistantId, [...(groups.get(share.assistantId) ?? []), share]);
  return groups;
}
