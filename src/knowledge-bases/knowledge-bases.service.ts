import {
  AppError,
  type Caller,
  type PageRequest,
  type Principal,
  invalid,
  isUuid,
  pageOf,
  uuidCursor,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../infrastructure/audit';
import { Transactions } from '../infrastructure/database';
import { GroupsService, MembersService, OrganizationsService } from '../organizations';
import { hybridWeightOf } from './embedding/embedding-settings';
import { KnowledgeBaseStore } from './knowledge-base-store';
import type {
  CreateKnowledgeBaseDto,
  EmbeddingDto,
  IndexDto,
  KnowledgeBaseDto,
  KnowledgeBaseListQueryDto,
  KnowledgeBasePageDto,
  KnowledgeBaseSharesDto,
  ShareWithDto,
  UpdateKnowledgeBaseDto,
} from './knowledge-base.dto';
import { NO_LANGUAGE } from './search/searchable-text';
import { VectorStore } from './search/vector-store';
import { VectorStoreRepository } from './search/vector-store.repository';
import { DocumentRepository } from './storage/document.repository';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
import { KnowledgeBaseRepository, type NewReaders } from './storage/knowledge-base.repository';
import type { Embedding, IndexStatus, KnowledgeBaseVisibility } from './storage/knowledge-base.types';

/** Access grants of a knowledge base, for organizations that allow sharing. */
@Injectable()
export class SharingService {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
    private readonly groups: GroupsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Visibility for the organization counts as sharing. @throws {AppError} `feature_disabled` */
  async assertMayShow(caller: Caller, visibility: KnowledgeBaseVisibility | undefined): Promise<void> {
    if (visibility === 'organization') await this.assertMayShare(caller);
  }

  async list({ organizationId, id }: KnowledgeBaseEntity): Promise<KnowledgeBaseSharesDto> {
    const { userIds, groupIds } = await this.knowledgeBases.sharedWith(organizationId, id);
    const [members, groups] = await Promise.all([
      Promise.all(userIds.map((userId) => this.members.find(organizationId, userId))),
      this.groups.named(organizationId, groupIds),
    ]);
    return {
      users: members.flatMap((member) =>
        member === null ? [] : [{ user_id: member.userId, email: member.email, name: member.name }],
      ),
      groups: groups.map((group) => ({ group_id: group.id, name: group.name })),
    };
  }

  /** `users` are ids or e-mail addresses. Absent groups stay. */
  async replace(
    caller: Caller,
    knowledgeBase: KnowledgeBaseEntity,
    { users, groups }: ShareWithDto,
  ): Promise<KnowledgeBaseSharesDto> {
    const { organizationId, id } = knowledgeBase;
    if (users.length + (groups ?? []).length > 0) await this.assertMayShare(caller);
    const userIds = await this.userIds(organizationId, users);
    const others = userIds.filter((userId) => userId !== knowledgeBase.ownerId);
    await this.groups.assertExist(organizationId, groups ?? [], (index) => `groups[${index}]`);
    const stored = await this.knowledgeBases.sharedWith(organizationId, id);
    const readers = { userIds: others, groupIds: groups && [...new Set(groups)] };
    const shown = ({ userIds, groupIds = stored.groupIds }: NewReaders): object => ({
      users: userIds,
      groups: groupIds,
    });
    await this.transactions.run(async (tx) => {
      await this.knowledgeBases.share(organizationId, id, readers, tx);
      const target = { type: 'knowledge_base', id };
      const [before, after] = [shown(stored), shown(readers)];
      await this.audit.record({ caller, action: 'knowledge_base.share', target, before, after }, tx);
    });
    return this.list(knowledgeBase);
  }

  private async userIds(organizationId: string, users: readonly string[]): Promise<string[]> {
    const found = await Promise.all(users.map((user) => this.members.find(organizationId, user)));
    const problems = found.flatMap((member, index) =>
      member === null
        ? [{ path: `users[${index}]`, message: 'is not a member of the organization', code: 'member.unknown' }]
        : [],
    );
    if (problems.length > 0) throw invalid(problems);
    return [...new Set(found.flatMap((member) => member?.userId ?? []))];
  }

  private async assertMayShare({ organizationId }: Caller): Promise<void> {
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.sharing) throw new AppError('feature_disabled', 'The organization has switched sharing off');
  }
}

const embeddingView = (embedding: Embedding | null): EmbeddingDto | null =>
  embedding && { provider: embedding.provider, model: embedding.model, dimensions: embedding.dimensions };

@Injectable()
export class KnowledgeBaseViews {
  constructor(
    private readonly store: VectorStore,
    private readonly vectors: VectorStoreRepository,
    private readonly documents: DocumentRepository,
  ) {}

  async of(row: KnowledgeBaseEntity, principal: Principal): Promise<KnowledgeBaseDto> {
    const documents = await this.documents.within(row.organizationId).counts([row.id]);
    return this.view(row, documents, principal);
  }

  /** The rows belong to the principal's organization. */
  async all(rows: readonly KnowledgeBaseEntity[], principal: Principal): Promise<KnowledgeBaseDto[]> {
    const documents = await this.documents.within(principal.organizationId).counts(rows.map(({ id }) => id));
    return Promise.all(rows.map((row) => this.view(row, documents, principal)));
  }

  private async view(
    row: KnowledgeBaseEntity,
    documents: ReadonlyMap<string, number>,
    { userId }: Principal,
  ): Promise<KnowledgeBaseDto> {
    return {
      id: row.id,
      slug: row.slug,
      name: row.name,
      description: row.description,
      language: row.language,
      language_chosen: row.languageChosen,
      languages: row.languages.filter((language) => language !== NO_LANGUAGE),
      visibility: row.visibility,
      owner: row.ownerId,
      access: row.ownerId === userId ? 'owner' : 'read',
      chunk_size: row.chunkSize,
      chunk_overlap: row.chunkOverlap,
      chunk_count: row.chunkCount,
      document_count: documents.get(row.id) ?? 0,
      embedding: embeddingView(row.embedding),
      hybrid_weight: hybridWeightOf(row),
      rerank: row.rerank,
      passages_shown: row.passagesShown,
      index: await this.indexOf(row),
      version: row.version,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    };
  }

  private async indexOf(row: KnowledgeBaseEntity): Promise<IndexDto> {
    const { available, unavailable } = this.store;
    const answers = available && row.vectorIndex !== null;
    return {
      modes: answers ? ['keyword', 'vector', 'hybrid'] : ['keyword'],
      status: available ? statusOf(row) : 'ready',
      progress: available ? await this.progressOf(row) : null,
      embedding: answers ? embeddingView(row.vectorEmbedding) : null,
      reason: row.embedding === null ? null : (unavailable ?? row.indexError),
    };
  }

  private async progressOf({ nextVectorIndex, chunkCount }: KnowledgeBaseEntity): Promise<IndexDto['progress']> {
    if (nextVectorIndex === null) return null;
    const current = await this.vectors.size(nextVectorIndex);
    return { current: Math.min(current, chunkCount), total: chunkCount };
  }
}

function statusOf({ nextVectorIndex, indexError }: KnowledgeBaseEntity): IndexStatus {
  if (nextVectorIndex === null) return 'ready';
  return indexError === null ? 'building' : 'failed';
}

/** Creates, lists, changes and shares knowledge bases. `DocumentsService` has their documents, `RetrievalService` searches. */
@Injectable()
export class KnowledgeBasesService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly store: KnowledgeBaseStore,
    private readonly sharing: SharingService,
    private readonly views: KnowledgeBaseViews,
  ) {}

  async create(caller: Caller, body: CreateKnowledgeBaseDto): Promise<KnowledgeBaseDto> {
    await this.sharing.assertMayShow(caller, body.visibility);
    return this.views.of(await this.store.create(caller, body), caller);
  }

  async get(principal: Principal, id: string): Promise<KnowledgeBaseDto> {
    return this.views.of(await this.permissions.readable(principal, id), principal);
  }

  async list(
    principal: Principal,
    page: PageRequest,
    { q, owner }: Pick<KnowledgeBaseListQueryDto, 'q' | 'owner'>,
  ): Promise<KnowledgeBasePageDto> {
    const [rows, total] = await this.knowledgeBases.within(principal.organizationId).page(principal, {
      text: q ?? null,
      ownOnly: owner === 'me',
      limit: page.limit + 1,
      after: uuidCursor(page.cursor),
    });
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return { items: await this.views.all(items, principal), next_cursor, total };
  }

  /**
   * Unchanged values make no new version. `expected` null accepts any version.
   * @throws {AppError} `precondition_failed` when `expected` is stale
   */
  async update(
    caller: Caller,
    id: string,
    changes: UpdateKnowledgeBaseDto,
    expected: number | null,
  ): Promise<KnowledgeBaseDto> {
    const row = await this.permissions.owned(caller, id);
    await this.sharing.assertMayShow(caller, changes.visibility);
    return this.views.of(await this.store.update(caller, row, changes, expected), caller);
  }

  /** @throws {AppError} as `update`. */
  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    await this.store.hide(caller, await this.permissions.owned(caller, id), expected);
  }

  /** The `ids` whose passages this person may read. Ids of external collections are readable. */
  async withReadablePassages(principal: Principal, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const own = await this.knowledgeBases.withReadablePassages(principal, ids.filter(isUuid));
    return new Set([...own, ...ids.filter((id) => !isUuid(id))]);
  }

  async shares(caller: Caller, id: string): Promise<KnowledgeBaseSharesDto> {
    return this.sharing.list(await this.permissions.owned(caller, id));
  }

  /** Replaces the lists of readers. */
  async share(caller: Caller, id: string, wanted: ShareWithDto): Promise<KnowledgeBaseSharesDto> {
    return this.sharing.replace(caller, await this.permissions.owned(caller, id), wanted);
  }
}
