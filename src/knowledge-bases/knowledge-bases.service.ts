import { Injectable } from '@nestjs/common';
import { type Caller, type Page, pageOf, type PageRequest, type Principal, uuidCursor } from '../kernel';
import { KnowledgeBasePermissions } from './storage/knowledge-base.permissions';
import { KnowledgeBaseRepository } from './storage/knowledge-base.repository';
import { KnowledgeBaseStore } from './knowledge-base-store';
import { KnowledgeBaseViews } from './knowledge-base-view';
import type {
  KnowledgeBaseChanges,
  KnowledgeBaseView,
  NewKnowledgeBase,
  ShareView,
} from './storage/knowledge-base.types';
import { SharingService } from './sharing.service';

/** Knowledge bases: made, listed and shared. Their documents are `DocumentsService`'s, questions to them `RetrievalService`'s. */
@Injectable()
export class KnowledgeBasesService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly store: KnowledgeBaseStore,
    private readonly sharing: SharingService,
    private readonly views: KnowledgeBaseViews,
  ) {}

  async create(caller: Caller, body: NewKnowledgeBase): Promise<KnowledgeBaseView> {
    await this.sharing.assertMayShow(caller, body.visibility);
    return this.views.of(await this.store.create(caller, body), caller);
  }

  async get(principal: Principal, id: string): Promise<KnowledgeBaseView> {
    return this.views.of(await this.permissions.readable(principal, id), principal);
  }

  async list(
    principal: Principal,
    page: PageRequest,
    filter: { text?: string; ownOnly?: boolean } = {},
  ): Promise<Page<KnowledgeBaseView>> {
    const [rows, total] = await this.knowledgeBases.within(principal.organizationId).page(principal, {
      text: filter.text ?? null,
      ownOnly: filter.ownOnly ?? false,
      limit: page.limit + 1,
      after: uuidCursor(page.cursor),
    });
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return {
      items: await this.views.all(items, principal),
      next_cursor,
      total,
    };
  }

  /**
   * `expected` null takes whatever is current. Saving what is already there makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is no longer current.
   */
  async update(
    caller: Caller,
    id: string,
    changes: KnowledgeBaseChanges,
    expected: number | null,
  ): Promise<KnowledgeBaseView> {
    const row = await this.permissions.owned(caller, id);
    await this.sharing.assertMayShow(caller, changes.visibility);
    return this.views.of(await this.store.update(caller, row, changes, expected), caller);
  }

  /** @throws {AppError} as `update`. */
  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    await this.store.hide(caller, await this.permissions.owned(caller, id), expected);
  }

  async shares(caller: Caller, id: string): Promise<ShareView[]> {
    return this.sharing.list(await this.permissions.owned(caller, id));
  }

  /** Replaces the list of users, named by id or e-mail, who may read the knowledge base. */
  async share(caller: Caller, id: string, users: readonly string[]): Promise<ShareView[]> {
    return this.sharing.replace(caller, await this.permissions.owned(caller, id), users);
  }
}
