import { Injectable } from '@nestjs/common';
import {
  AppError,
  assertCurrent,
  type Caller,
  decodeCursor,
  encodeCursor,
  invalid,
  isJsonObject,
  isUuid,
  type JsonObject,
  notFound,
  type Page,
  type PageRequest,
  type Principal,
  type RubricSource,
  staleVersion,
  uuidv7,
} from '../kernel';
import { OrganizationsService } from '../organizations';
import { AuditLog } from '../platform/audit';
import { type Transaction, Transactions } from '../platform/database';
import { checkedDocument, rendered, unwrapped, viewOf, withoutCount } from './rubric-document';
import type { RubricEntity } from './rubric.entity';
import { RubricRepository } from './rubric.repository';
import type { RubricDocument, RubricFormat, RubricView, RubricVisibility } from './rubric.types';

const INT4_MAX = 2_147_483_647;

export interface CreateRubric {
  readonly visibility?: RubricVisibility;
  /** Id in the system that it is imported from. */
  readonly originId?: number;
}

/** Rubrics: kept as their authors wrote them, checked, and rendered for models and people. */
@Injectable()
export class RubricsService {
  constructor(
    private readonly rubrics: RubricRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly organizations: OrganizationsService,
  ) {}

  create(caller: Caller, body: unknown, options: CreateRubric = {}): Promise<RubricView> {
    return this.insert(caller, withoutCount(body), options);
  }

  async get(principal: Principal, id: string): Promise<RubricView> {
    return viewOf(await this.visible(principal, id), principal);
  }

  async list(
    principal: Principal,
    page: PageRequest,
    filter: { text?: string; ownOnly?: boolean } = {},
  ): Promise<Page<RubricView>> {
    const after = page.cursor === null ? null : decodeCursor(page.cursor, 1)?.[0];
    if (after === undefined || (after !== null && !isUuid(String(after)))) {
      throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
    }
    const [rows, total] = await this.rubrics.visibleTo(principal).page({
      text: filter.text ?? null,
      ownOnly: filter.ownOnly ?? false,
      limit: page.limit + 1,
      after: after === null ? null : String(after),
    });
    const items = rows.slice(0, page.limit);
    const last = items.at(-1);
    return {
      items: items.map((row) => viewOf(row, principal)),
      next_cursor: rows.length > page.limit && last !== undefined ? encodeCursor([last.id]) : null,
      total,
    };
  }

  /**
   * Replaces the document. `expected` null takes whatever is current; saving what is already there makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is no longer current.
   */
  replace(caller: Caller, id: string, body: unknown, expected: number | null): Promise<RubricView> {
    return this.change(caller, id, expected, (stored) => checkedDocument(withoutCount(body, stored)));
  }

  /** As `replace`, but for the members given only; the whole must still be a rubric. */
  patch(caller: Caller, id: string, changes: unknown, expected: number | null): Promise<RubricView> {
    if (!isJsonObject(changes)) throw invalid([{ path: '', message: 'must be a JSON object' }]);
    return this.change(caller, id, expected, (stored) =>
      checkedDocument({ ...stored, ...(withoutCount(changes, stored) as JsonObject) }),
    );
  }

  /** Throws `feature_disabled` where the organization has switched sharing off. */
  async setVisibility(caller: Caller, id: string, visibility: RubricVisibility): Promise<RubricView> {
    if (visibility === 'organization') {
      const { features } = await this.organizations.runtime(caller.organizationId);
      if (!features.sharing) throw new AppError('feature_disabled', 'The organization has switched sharing off');
    }
    return this.changeOwned(caller, id, { action: 'rubric.visibility', expected: null }, (row) => ({
      values: { visibility },
      before: { visibility: row.visibility },
      after: { visibility },
    }));
  }

  /** A private copy of the caller's own, under a new `rubricId`. */
  async duplicate(caller: Caller, id: string): Promise<RubricView> {
    const { document } = await this.visible(caller, id);
    return this.insert(caller, {
      ...document,
      rubricId: uuidv7(),
      title: `${document.title.slice(0, 480).toWellFormed()} (copy)`,
    });
  }

  /** A document as exported here or by LAMB, whose exports may wrap it in `rubric` or `rubric_data`; its `version` is its own. */
  import(caller: Caller, body: unknown): Promise<RubricView> {
    return this.insert(caller, unwrapped(body));
  }

  async document(principal: Principal, id: string): Promise<RubricDocument> {
    return (await this.visible(principal, id)).document;
  }

  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    await this.assertCurrent(caller, id, expected);
    await this.transactions.run(async (tx) => {
      const row = await this.owned(caller, id, tx);
      assertCurrent(expected, row.version);
      if (!(await this.rubrics.visibleTo(caller, tx).removeVersion(row))) throw staleVersion();
      await this.record(caller, 'rubric.delete', id, { before: row.document }, tx);
    });
  }

  async render(principal: Principal, id: string, format: RubricFormat): Promise<string> {
    return rendered(await this.document(principal, id), format);
  }

  /**
   * The rubric as text for a prompt. `rubricId` is its id, an id it had where it was imported from (an integer or a text), or
   * its document's own `rubricId` where that names one rubric only. Throws `not_found`.
   */
  async forPrompt(
    owner: Principal,
    rubricId: string | number,
    format: RubricFormat,
  ): Promise<{ text: string; source: RubricSource }> {
    const row = await this.resolve(owner, rubricId);
    if (row === null) throw notFound('Rubric');
    return {
      text: rendered(row.document, format),
      source: { type: 'rubric', rubric_id: row.id, title: row.title, format },
    };
  }

  /** The rubric itself, by any name that `forPrompt` knows it by. Throws `not_found`. */
  async forEvaluation(
    owner: Principal,
    rubricId: string | number,
  ): Promise<{ document: RubricDocument; source: RubricSource }> {
    const row = await this.resolve(owner, rubricId);
    if (row === null) throw notFound('Rubric');
    const source: RubricSource = { type: 'rubric', rubric_id: row.id, title: row.title, format: 'json' };
    return { document: row.document, source };
  }

  /** Changes whenever the rubric does, as far as a prompt shows it. Throws `not_found`. */
  async contentVersion(owner: Principal, rubricId: string | number): Promise<string> {
    const row = await this.resolve(owner, rubricId);
    if (row === null) throw notFound('Rubric');
    return `${row.id} ${JSON.stringify(row.document)}`;
  }

  async exists(owner: Principal, rubricId: string | number): Promise<boolean> {
    return (await this.resolve(owner, rubricId)) !== null;
  }

  private async resolve(principal: Principal, rubricId: string | number): Promise<RubricEntity | null> {
    const rubrics = this.rubrics.visibleTo(principal);
    const key = String(rubricId);
    if (/^\d{1,10}$/.test(key)) {
      const originId = Number(key);
      const imported = originId <= INT4_MAX ? await rubrics.findByOrigin(originId) : null;
      if (imported !== null) return imported;
    }
    const named = (isUuid(key) ? await rubrics.find(key) : null) ?? (await rubrics.findByOriginKey(key.toLowerCase()));
    return named ?? unambiguous(await rubrics.findByKey(key), principal);
  }

  private async insert(caller: Caller, body: unknown, options: CreateRubric = {}): Promise<RubricView> {
    const document = checkedDocument(body);
    const id = uuidv7();
    await this.transactions.run(async (tx) => {
      await this.rubrics.visibleTo(caller, tx).insert({
        id,
        ownerId: caller.userId,
        rubricKey: document.rubricId,
        title: document.title,
        document,
        visibility: options.visibility ?? 'private',
        originId: options.originId ?? null,
      });
      await this.record(caller, 'rubric.create', id, { after: document }, tx);
    });
    return this.get(caller, id);
  }

  private async visible(principal: Principal, id: string): Promise<RubricEntity> {
    const row = isUuid(id) ? await this.rubrics.visibleTo(principal).find(id) : null;
    if (row === null) throw notFound('Rubric');
    return row;
  }

  private async owned(caller: Caller, id: string, tx: Transaction): Promise<RubricEntity> {
    const row = isUuid(id) ? await this.rubrics.visibleTo(caller, tx).lock(id) : null;
    if (row === null) throw notFound('Rubric');
    if (row.ownerId !== caller.userId) throw new AppError('forbidden', 'Only its owner may change a rubric');
    return row;
  }

  private change(
    caller: Caller,
    id: string,
    expected: number | null,
    next: (document: RubricDocument) => RubricDocument,
  ): Promise<RubricView> {
    return this.changeOwned(caller, id, { action: 'rubric.update', expected }, (row) => {
      const document = next(row.document);
      const values = { document, title: document.title, rubricKey: document.rubricId };
      return { values, before: row.document, after: document };
    });
  }

  private async changeOwned(
    caller: Caller,
    id: string,
    { action, expected }: { action: string; expected: number | null },
    change: (row: RubricEntity) => { values: Partial<RubricEntity>; before: object; after: object },
  ): Promise<RubricView> {
    await this.assertCurrent(caller, id, expected);
    return this.transactions.run(async (tx) => {
      const row = await this.owned(caller, id, tx);
      assertCurrent(expected, row.version);
      const { values, before, after } = change(row);
      // As texts, since the order of a document's members is kept, too.
      if (JSON.stringify(before) === JSON.stringify(after)) return viewOf(row, caller);
      const rubrics = this.rubrics.visibleTo(caller, tx);
      if (!(await rubrics.advance(row, values))) throw staleVersion();
      await this.record(caller, action, id, { before, after }, tx);
      return viewOf((await rubrics.find(id)) ?? row, caller);
    });
  }

  /** Who is too late is told so without waiting for the row; who is not is judged again with it. */
  private async assertCurrent(caller: Caller, id: string, expected: number | null): Promise<void> {
    if (expected === null) return;
    const row = await this.visible(caller, id);
    if (row.ownerId === caller.userId) assertCurrent(expected, row.version);
  }

  private record(
    caller: Caller,
    action: string,
    id: string,
    change: { before?: unknown; after?: unknown },
    tx: Transaction,
  ): Promise<void> {
    return this.audit.record({ caller, action, target: { type: 'rubric', id }, ...change }, tx);
  }
}

/** One of the user's own wins over those of others; two of equal standing name nobody. */
function unambiguous(rows: readonly RubricEntity[], { userId }: Principal): RubricEntity | null {
  const [first, second] = rows;
  if (first === undefined) return null;
  const tied = second !== undefined && (first.ownerId === userId) === (second.ownerId === userId);
  return tied ? null : first;
}
