import { Injectable } from '@nestjs/common';
import { type Caller, isOrganizationAdmin, notFound } from '../kernel';
import { FreshCache, MembersService, OrganizationChanges, OrganizationsService } from '../organizations';
import { type CompiledTemplate, compileTemplate } from '../templates';
import { accessLevel } from './assistant.permissions';
import type { AccessLevel, AssistantDocument, RunnableAssistant } from './assistant.types';
import { storedDefinition } from './definition';
import { CatalogueRules } from './diagnostics/catalogue-rules';
import { normaliseDocument, slotGrammar, type ToolVocabulary } from './metadata';
import type { AssistantEntity } from './storage/assistant.entity';
import type { AssistantShareEntity } from './storage/assistant-share.entity';
import { AssistantRepository } from './storage/assistant.repository';

/** Another replica's write is seen after this long at the latest. */
const MAX_AGE_MS = 5_000;
const MAX_ASSISTANTS = 5_000;
const MAX_LISTS = 500;

/** One stored version with what is made of it once: the document and the compiled template. */
class CachedAssistant {
  private readonly shares: ReadonlyMap<string, 'edit' | 'use'>;
  private made: { document: AssistantDocument; compiled: CompiledTemplate } | undefined;

  constructor(
    readonly row: AssistantEntity,
    shares: readonly AssistantShareEntity[],
    private readonly members_can_use_all: boolean,
    private readonly tools: ToolVocabulary,
  ) {
    this.shares = new Map(shares.map(({ userId, access }) => [userId, access]));
  }

  for(caller: Caller): RunnableAssistant | null {
    if (this.row.disabled) return null;
    const { members_can_use_all } = this;
    const access = accessLevel(caller, this.row, { share: this.shares.get(caller.userId), members_can_use_all });
    return access === null ? null : this.runnable(access);
  }

  runnable(access: AccessLevel): RunnableAssistant {
    const { id, name, description, version, organizationId, ownerId, published } = this.row;
    this.made ??= this.make();
    const owner = { organizationId, userId: ownerId };
    return { id, name, description, version, organizationId, ownerId, owner, published, access, ...this.made };
  }

  private make(): { document: AssistantDocument; compiled: CompiledTemplate } {
    const document = normaliseDocument(storedDefinition(this.row), this.tools);
    return { document, compiled: compileTemplate(document.template, slotGrammar(document, this.tools)) };
  }
}

interface CachedList {
  readonly organizationId: string;
  readonly assistants: readonly CachedAssistant[];
}

/** Assistants ready to run, in memory: no database stands between an accepted request and its first byte. */
@Injectable()
export class RunnableAssistants {
  private readonly single = new FreshCache<string, CachedAssistant | null>({
    maxAge: MAX_AGE_MS,
    max: MAX_ASSISTANTS,
    load: (key) => this.load(key),
  });
  private readonly lists = new FreshCache<string, CachedList>({
    maxAge: MAX_AGE_MS,
    max: MAX_LISTS,
    load: (key) => this.loadList(key),
  });

  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    private readonly rules: CatalogueRules,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.forgetOrganization(organizationId));
  }

  /** @throws {AppError} `not_found` for missing, foreign, deleted and invisible assistants, and when the owner is gone. */
  async find(caller: Caller, id: number): Promise<RunnableAssistant> {
    const cached = await this.single.get(`${caller.organizationId}/${id}`);
    const runnable = cached?.for(caller) ?? null;
    if (runnable === null) throw notFound('Assistant');
    return runnable;
  }

  /** By id. */
  async list(caller: Caller): Promise<RunnableAssistant[]> {
    const visibleTo = isOrganizationAdmin(caller) ? null : caller.userId;
    const key = JSON.stringify([caller.organizationId, visibleTo, caller.assistantIds]);
    const { assistants } = await this.lists.get(key);
    return assistants.map((cached) => cached.for(caller)).filter((runnable) => runnable !== null);
  }

  /** A row that somebody has decided may run, for use only. */
  granted(row: AssistantEntity): RunnableAssistant {
    return new CachedAssistant(row, [], false, this.rules).runnable('use');
  }

  /** To be called after the commit of every write. */
  forget(organizationId: string, id: number): void {
    this.single.delete(`${organizationId}/${id}`);
    this.lists.deleteWhere((list) => list.organizationId === organizationId);
  }

  private forgetOrganization(organizationId: string): void {
    this.single.deleteWhere((cached) => cached === null || cached.row.organizationId === organizationId);
    this.lists.deleteWhere((list) => list.organizationId === organizationId);
  }

  private async load(key: string): Promise<CachedAssistant | null> {
    const [organizationId = '', id = ''] = key.split('/');
    const scope = this.assistants.within(organizationId);
    const [row, shares] = await Promise.all([scope.find(Number(id)), scope.shares([Number(id)])]);
    if (row === null || !(await this.isActive(organizationId, row.ownerId))) return null;
    return new CachedAssistant(row, shares, await this.membersUseAll(organizationId), this.rules);
  }

  private async loadList(key: string): Promise<CachedList> {
    const [organizationId, visibleTo, onlyIds] = JSON.parse(key) as [string, string | null, number[] | null];
    const scope = this.assistants.within(organizationId);
    const open = await this.membersUseAll(organizationId);
    const rows = await scope.all({ visibleTo: open ? null : visibleTo, onlyIds });
    const shares = byAssistant(await scope.shares(rows.map(({ id }) => id)));
    const active = new Map<string, boolean>();
    for (const { ownerId } of rows)
      if (!active.has(ownerId)) active.set(ownerId, await this.isActive(organizationId, ownerId));
    const assistants = rows
      .filter(({ ownerId }) => active.get(ownerId) === true)
      .map((row) => new CachedAssistant(row, shares.get(row.id) ?? [], open, this.rules));
    return { organizationId, assistants };
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
