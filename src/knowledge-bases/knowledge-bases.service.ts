import { type Caller, isUuid, pageOf, type PageRequest, type Principal, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
import { KnowledgeBaseStore } from './knowledge-base-store';
import { KnowledgeBaseViews } from './knowledge-base-view';
import type {
  CreateKnowledgeBaseDto,
  KnowledgeBaseDto,
  KnowledgeBaseListQueryDto,
  KnowledgeBasePageDto,
  KnowledgeBaseSharesDto,
  ShareWithDto,
  UpdateKnowledgeBaseDto,
} from './knowledge-base.dto';
import { SharingService } from './sharing.service';

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
