import {
  AppError,
  type Caller,
  invalid,
  isJsonObject,
  isUuid,
  type JsonObject,
  type Page,
  pageOf,
  type PageRequest,
  type Principal,
  type RubricSource,
  uuidCursor,
  uuidv7,
  existing,
} from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../organizations';
import { AuditLog, type VersionedChange, type VersionedRequest, VersionedResource } from '../infrastructure/audit';
import { Transactions } from '../infrastructure/database';
import { RowCache, TableChanges } from '../infrastructure/cache';
import { checkedDocument, rendered, type RubricView, unwrapped, viewOf, withOwnVersion } from './rubric-document';
import type { RubricListQueryDto } from './rubric.dto';
import type { RubricEntity } from './rubric.entity';
import { RubricRepository } from './rubric.repository';
import type { RubricDocument, RubricFormat, RubricVisibility } from './rubric.types';

const INT4_MAX = 2_147_483_647;

/** `organizations` and `users`: deleting one deletes its rubrics by a cascade. */
const TABLES = ['rubrics', 'organizations', 'users'];
const MOST_KEPT = 2_000;

/** A rubric that a tool names, and the version of its content. */
interface NamedRubric {
  readonly row: RubricEntity;
  readonly contentVersion: string;
}

export interface CreateRubric {
  readonly visibility?: RubricVisibility;
  /** Id in the source of the import. */
  readonly originId?: number;
}

/** Stores rubrics unchanged after validation, and renders them for models and people. */
@Injectable()
export class RubricsService {
  private readonly versions: VersionedResource<RubricEntity>;
  private readonly named: RowCache<NamedRubric>;

  constructor(
    private readonly rubrics: RubricRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly organizations: OrganizationsService,
    changes: TableChanges,
  ) {
    this.named = new RowCache(changes, { tables: TABLES, max: MOST_KEPT });
    this.versions = new VersionedResource(transactions, audit, {
      type: 'rubric',
      label: 'Rubric',
      within: (caller, tx) => rubrics.visibleTo(caller, tx),
      assertMayChange: assertOwns,
    });
  }

  create(caller: Caller, body: unknown, options: CreateRubric = {}): Promise<RubricView> {
    return this.insert(caller, withOwnVersion(body), options);
  }

  async get(principal: Principal, id: string): Promise<RubricView> {
    return viewOf(await this.visible(principal, id), principal);
  }

  async list(
    principal: Principal,
    page: PageRequest,
    { q, owner }: Pick<RubricListQueryDto, 'q' | 'owner'>,
  ): Promise<Page<RubricView>> {
    const [rows, total] = await this.rubrics.visibleTo(principal).page({
      text: q ?? null,
      ownOnly: owner === 'me',
      limit: page.limit + 1,
      after: uuidCursor(page.cursor),
    });
    const { items, next_cursor } = pageOf(rows, page.limit, (row) => row.id);
    return { items: items.map((row) => viewOf(row, principal)), next_cursor, total };
  }

  /**
   * Replaces the document. An unchanged document makes no new version. `expected` null accepts any version.
   * @throws {AppError} `precondition_failed` when `expected` is stale
   */
  replace(caller: Caller, id: string, body: unknown, expected: number | null): Promise<RubricView> {
    return this.change(caller, id, expected, (stored) => checkedDocument(withOwnVersion(body, stored)));
  }

  /** Replaces the given members only. The result must be a valid rubric. */
  patch(caller: Caller, id: string, changes: unknown, expected: number | null): Promise<RubricView> {
    if (!isJsonObject(changes)) throw invalid([{ path: '', message: 'must be a JSON object' }]);
    return this.change(caller, id, expected, (stored) =>
      checkedDocument({ ...stored, ...(withOwnVersion(changes, stored) as JsonObject) }),
    );
  }

  /** @throws {AppError} `feature_disabled` when the organization does not allow sharing */
  async setVisibility(caller: Caller, id: string, visibility: RubricVisibility): Promise<RubricView> {
    if (visibility === 'organization') {
      const { features } = await this.organizations.runtime(caller.organizationId);
      if (!features.sharing) throw new AppError('feature_disabled', 'The organization has switched sharing off');
    }
    return this.changeOwned({ caller, id, expected: null }, 'visibility', (row) => ({
      values: { visibility },
      before: { visibility: row.visibility },
      after: { visibility },
    }));
  }

  /** A private copy with a new `rubricId`, owned by the caller. */
  async duplicate(caller: Caller, id: string): Promise<RubricView> {
    const { document } = await this.visible(caller, id);
    return this.insert(caller, {
      ...document,
      rubricId: uuidv7(),
      title: `${document.title.slice(0, 480).toWellFormed()} (copy)`,
    });
  }

  /** Creates a rubric from an export of this service or LAMB. */
  import(caller: Caller, body: unknown): Promise<RubricView> {
    return this.insert(caller, unwrapped(body));
  }

  async document(principal: Principal, id: string): Promise<RubricDocument> {
    return (await this.visible(principal, id)).document;
  }

  remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    return this.versions.remove({ caller, id, expected }, ({ document }) => document);
  }

  /** `forEvaluation` adds the steps of the evaluation and the parts of the answer. */
  async render(principal: Principal, id: string, format: RubricFormat, forEvaluation = false): Promise<string> {
    return rendered(await this.document(principal, id), format, forEvaluation);
  }

  /**
   * The rubric as text for a prompt. `rubricId` is its id, an id from the source of its import (integer or text), or the
   * document's own `rubricId` if only one rubric has it.
   * @throws {AppError} `not_found`
   */
  async forPrompt(
    owner: Principal,
    rubricId: string | number,
    format: RubricFormat,
    forEvaluation = false,
  ): Promise<{ text: string; source: RubricSource }> {
    const row = await this.resolved(owner, rubricId);
    return { text: rendered(row.document, format, forEvaluation), source: sourceOf(row, format) };
  }

  /** The rubric by any id that `forPrompt` accepts. @throws {AppError} `not_found` */
  async forEvaluation(
    owner: Principal,
    rubricId: string | number,
  ): Promise<{ document: RubricDocument; source: RubricSource }> {
    const row = await this.resolved(owner, rubricId);
    return { document: row.document, source: sourceOf(row, 'json') };
  }

  /** Version of the content. @throws {AppError} `not_found` */
  async contentVersion(owner: Principal, rubricId: string | number): Promise<string> {
    return (await this.kept(owner, rubricId)).contentVersion;
  }

  async exists(owner: Principal, rubricId: string | number): Promise<boolean> {
    return (await this.resolve(owner, rubricId)) !== null;
  }

  private async resolved(owner: Principal, rubricId: string | number): Promise<RubricEntity> {
    return (await this.kept(owner, rubricId)).row;
  }

  private kept(owner: Principal, rubricId: string | number): Promise<NamedRubric> {
    return this.named.get(owner.organizationId, `${owner.userId}/${rubricId}`, async () => {
      const row = existing(await this.resolve(owner, rubricId), 'Rubric');
      return { row, contentVersion: `${row.id} ${digest(JSON.stringify(row.document))}` };
    });
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
    const id = await this.transactions.once('rubric.create', async (tx) => {
      const id = uuidv7();
      await this.rubrics.visibleTo(caller, tx).insert({
        id,
        ownerId: caller.userId,
        rubricKey: document.rubricId,
        title: document.title,
        document,
        visibility: options.visibility ?? 'private',
        originId: options.originId ?? null,
      });
      const target = { type: 'rubric', id };
      await this.audit.record({ caller, action: 'rubric.create', target, after: audited(document) }, tx);
      return id;
    });
    return this.get(caller, id);
  }

  private async visible(principal: Principal, id: string): Promise<RubricEntity> {
    return existing(isUuid(id) ? await this.rubrics.visibleTo(principal).find(id) : null, 'Rubric');
  }

  private change(
    caller: Caller,
    id: string,
    expected: number | null,
    next: (document: RubricDocument) => RubricDocument,
  ): Promise<RubricView> {
    return this.changeOwned({ caller, id, expected }, 'update', (row) => {
      const document = next(row.document);
      const values = { document, title: document.title, rubricKey: document.rubricId };
      return { values, before: row.document, after: document };
    });
  }

  private async changeOwned(
    request: VersionedRequest,
    verb: string,
    next: (row: RubricEntity) => VersionedChange<RubricEntity>,
  ): Promise<RubricView> {
    const row = await this.versions.change(request, verb, (row) => {
      const change = next(row);
      // JSON texts are compared, because a new order of members is a change.
      const [before, after] = [change.before, change.after].map((value) => JSON.stringify(value));
      if (before === after) return null;
      if (!('document' in change.values)) return change;
      return { ...change, before: audited(row.document), after: audited(change.after as RubricDocument) };
    });
    return viewOf(row, request.caller);
  }
}

/** Administrators read the audit log, and no private rubrics: it has what names one, and its size. */
const audited = ({ rubricId, title, criteria }: RubricDocument): object => ({
  rubricId,
  title,
  criteria: criteria.length,
});

const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

const sourceOf = ({ id, title }: RubricEntity, format: RubricFormat): RubricSource => ({
  type: 'rubric',
  rubric_id: id,
  title,
  format,
});

function assertOwns({ userId }: Caller, { ownerId }: RubricEntity): void {
  if (ownerId !== userId)
    throw new AppError('forbidden', 'Only its owner may change a rubric', { reason: 'rubric.owner_only' });
}

/** An own rubric wins over those of other users. Two of one kind are ambiguous. */
function unambiguous(rows: readonly RubricEntity[], { userId }: Principal): RubricEntity | null {
  const [first, second] = rows;
  if (first === undefined) return null;
  const tied = second !== undefined && (first.ownerId === userId) === (second.ownerId === userId);
  return tied ? null : first;
}
