import { type Awaitable, type Caller, after, isOrganizationAdmin, notFound, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { FreshCache } from '../../infrastructure/cache';
import { GroupMemberships, MembersService, OrganizationsService } from '../../organizations';
import { usesEverything } from '../access/assistant.permissions';
import type { RunnableAssistant } from '../access/assistant.types';
import type { AssistantScope } from '../storage/assistant-scope.repository';
import type { GroupShare, PersonShare } from '../storage/assistant-share-scope.repository';
import { AssistantRepository } from '../storage/assistant.repository';
import type { RunningRow } from '../storage/running-rows.repository';
import { AssistantCompiler } from './assistant-compiler';
import { type AssistantShares, CachedAssistant, NO_SHARES } from './cached-assistant';
import { AssistantChanges, PublicAssistants } from './public-assistants';

/** Oldest cached state, should the signal of another replica get lost. */
const MAX_AGE_MS = 5_000;
const MAX_ASSISTANTS = 5_000;
/** Sizes of a cached page of a list. The smallest sufficient one is read. */
const PAGE_SIZES = [100, 1_000] as const;
const LARGEST_PAGE = 1_000;
const MAX_PAGES = 50;

/** `visibleTo` as in `AssistantFilter`. */
type PageKey = readonly [
  organizationId: string,
  visibleTo: string | null,
  onlyIds: readonly number[] | null,
  onlyPublished: boolean,
  after: number,
  size: number,
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
    private readonly groups: GroupMemberships,
  ) {
    changes.on({
      assistant: (organizationId, id) => this.drop(organizationId, id),
      organization: (organizationId) => this.dropOrganization(organizationId),
    });
  }

  /** @throws {AppError} `not_found` for missing, foreign, deleted and invisible assistants, and when the owner is gone. */
  find(caller: Caller, id: number): Awaitable<RunnableAssistant> {
    return after(this.single.get(`${caller.organizationId}/${id}`), (cached) => {
      if (cached?.hasGroups === true)
        return this.groupIds(caller).then((groupIds) => this.shown(cached, caller, groupIds));
      return cached?.for(caller, []) ?? this.foreign(caller, id);
    });
  }

  /**
   * Checks the right to use it on fresh rows. A disabled owner ends no run: its tools lose access instead.
   * @throws {AppError} `not_found`
   */
  async assertUsable(caller: Caller, id: number): Promise<void> {
    const own = await this.read(caller.organizationId, id);
    const groupIds = own?.hasGroups === true ? await this.groups.freshIdsOf(caller.userId, caller.organizationId) : [];
    if ((own?.accessOf(caller, groupIds) ?? null) !== null) return;
    if (!(await this.everywhere.isUsable(caller, id))) throw notFound('Assistant');
  }

  /**
   * Assistants whose id is greater than `after`, by id. An empty page may still have a next one. `wanted` is the number
   * of assistants that the caller needs.
   */
  async page(caller: Caller, afterId = 0, wanted = LARGEST_PAGE): Promise<RunnablePage> {
    const { assistants, next } = await this.pages.get(JSON.stringify(await this.pageKey(caller, afterId, wanted)));
    const groupIds = assistants.some(({ hasGroups }) => hasGroups) ? await this.groupIds(caller) : [];
    const own = assistants.map((cached) => cached.for(caller, groupIds)).filter((runnable) => runnable !== null);
    const foreign = (await this.everywhere.of(caller)).filter(({ row: { id } }) => id > afterId && id <= (next ?? id));
    if (foreign.length === 0) return { assistants: own, next };
    const all = [...own, ...foreign.map((cached) => cached.forUse())].sort((one, other) => one.id - other.id);
    return { assistants: all, next };
  }

  /** The newest saved version, with the unpublished changes of a published assistant. @throws as `find` */
  async newest(caller: Caller, id: number): Promise<RunnableAssistant> {
    const { access, disclosure } = await this.find(caller, id);
    const row = existing(await this.assistants.within(caller.organizationId).find(id), 'Assistant');
    const newest = { ...row, newestVersion: row.version };
    return new CachedAssistant(newest, NO_SHARES, false, this.compiler).known({ access, disclosure });
  }

  /** Ids of assistants that the caller owns or may edit by a share. */
  async editableIds({ organizationId, userId, publishedOnly }: Caller): Promise<number[]> {
    if (publishedOnly === true) return [];
    return this.assistants.within(organizationId).editableBy(userId);
  }

  /** Assistant for use only, after another service has decided that it may run. */
  granted(row: RunningRow): RunnableAssistant {
    return new CachedAssistant(row, NO_SHARES, false, this.compiler).forUse();
  }

  /** Drops the cached assistant, after the commit of every write. */
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

  private groupIds({ userId, organizationId }: Caller): Promise<readonly string[]> {
    return this.groups.idsOf(userId, organizationId);
  }

  private shown(cached: CachedAssistant, caller: Caller, groupIds: readonly string[]): Awaitable<RunnableAssistant> {
    return cached.for(caller, groupIds) ?? this.foreign(caller, cached.row.id);
  }

  private async foreign(caller: Caller, id: number): Promise<RunnableAssistant> {
    const found = (await this.everywhere.of(caller)).find(({ row }) => row.id === id);
    return existing(found?.forUse() ?? null, 'Assistant');
  }

  private async pageKey(caller: Caller, afterId: number, wanted: number): Promise<PageKey> {
    const seesAll =
      isOrganizationAdmin(caller) || (usesEverything(caller) && (await this.membersUseAll(caller.organizationId)));
    return [
      caller.organizationId,
      seesAll ? null : caller.userId,
      caller.assistantIds,
      caller.publishedOnly === true,
      afterId,
      PAGE_SIZES.find((size) => size >= wanted) ?? LARGEST_PAGE,
    ];
  }

  private async load(key: string): Promise<CachedAssistant | null> {
    const [organizationId = '', id = ''] = key.split('/');
    const found = await this.read(organizationId, Number(id));
    return found !== null && (await this.isActive(organizationId, found.row.ownerId)) ? found : null;
  }

  private async read(organizationId: string, id: number): Promise<CachedAssistant | null> {
    const scope = this.assistants.within(organizationId);
    const [found, shares] = await Promise.all([scope.find(id), sharesOf(scope, [id])]);
    const [row] = found === null ? [] : await scope.running([found]);
    if (row === undefined) return null;
    return new CachedAssistant(
      row,
      shares.get(id) ?? NO_SHARES,
      await this.membersUseAll(organizationId),
      this.compiler,
    );
  }

  private async loadPage(key: string): Promise<CachedPage> {
    const [organizationId, visibleTo, onlyIds, onlyPublished, afterId, size] = JSON.parse(key) as PageKey;
    const scope = this.assistants.within(organizationId);
    const open = await this.membersUseAll(organizationId);
    const rows = await scope.next({ visibleTo, onlyIds, onlyPublished }, afterId, size);
    const shares = await sharesOf(
      scope,
      rows.map(({ id }) => id),
    );
    const ownerIds = rows.map(({ ownerId }) => ownerId);
    const owners = await this.members.findAll(organizationId, ownerIds);
    const assistants = (await scope.running(rows))
      .filter(({ ownerId }) => owners.get(ownerId)?.disabled === false)
      .map((row) => new CachedAssistant(row, shares.get(row.id) ?? NO_SHARES, open, this.compiler));
    const next = rows.length < size ? null : (rows.at(-1)?.id ?? null);
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

async function sharesOf(
  { shares }: AssistantScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AssistantShares>> {
  const [people, groups] = await Promise.all([shares.people(ids), shares.groups(ids)]);
  const found = new Map<number, { people: PersonShare[]; groups: GroupShare[] }>();
  const of = (id: number): { people: PersonShare[]; groups: GroupShare[] } => {
    const known = found.get(id) ?? { people: [], groups: [] };
    found.set(id, known);
    return known;
  };
  for (const share of people) of(share.assistantId).people.push(share);
  for (const share of groups) of(share.assistantId).groups.push(share);
  return found;
}
