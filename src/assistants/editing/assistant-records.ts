import { type Caller, type Principal, notFound, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { CollectionNames, RetrievalService } from '../../knowledge-bases';
import {
  type CollectionIds,
  type Definition,
  changedFields,
  collectionNames,
  definitionOf,
  storedDefinition,
  unboundKey,
  unboundKeys,
} from '../definition';
import { RunnableAssistants } from '../running/runnable-assistants';
import type { AssistantFlag, AssistantScope } from '../storage/assistant-scope.repository';
import type { GroupShare, PersonShare } from '../storage/assistant-share-scope.repository';
import type { VersionReason } from '../storage/assistant-version.entity';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';

/** Members of a definition that name collections. */
const MEMBERS = ['collections', 'kb_id', 'collection_id'] as const;

/**
 * Resolves a definition's collection names once, when they are first saved. Otherwise an editor could name a knowledge
 * base that the owner makes later, and read it with the owner's rights.
 */
@Injectable()
export class CollectionBindings {
  constructor(
    private readonly names: CollectionNames,
    private readonly retrieval: RetrievalService,
  ) {}

  /**
   * `after` with its bindings. Names that `before` had keep their meaning; new ones, and those that were not bound, are
   * resolved now. A knowledge base that one of `readers` may not read is as good as none, so that nothing shows that it
   * exists.
   */
  async bind(
    organizationId: string,
    after: Definition,
    before: Definition | null,
    readers: readonly Principal[] = [],
    tx?: Transaction,
  ): Promise<Definition & { readonly collectionIds: CollectionIds }> {
    const known = before?.collectionIds ?? null;
    const old = new Set(before === null || known === null ? [] : collectionNames(storedDefinition(before)));
    const unbound = unboundKeys(known);
    const isUnbound = (name: string): boolean => MEMBERS.some((member) => unbound.has(unboundKey(member, name)));
    const fresh = collectionNames(storedDefinition(after)).filter((name) => !old.has(name) || isUnbound(name));
    const found = new Map(fresh.length === 0 ? [] : await this.names.idsOf(organizationId, fresh, tx));
    for (const reader of found.size === 0 ? [] : readers) {
      const denied = new Set(await this.retrieval.inaccessible(reader, [...found.values()]));
      for (const [name, id] of found) if (denied.has(id)) found.delete(name);
    }
    const added = Object.fromEntries(fresh.map((name) => [name, found.get(name) ?? null]));
    return { ...after, collectionIds: { ...known, ...added } };
  }
}

type AssistantWork<T> = (scope: AssistantScope, tx: Transaction) => Promise<T>;

/** An absent list stays. */
export interface NewShares {
  readonly people?: readonly Omit<PersonShare, 'assistantId'>[] | undefined;
  readonly groups?: readonly Omit<GroupShare, 'assistantId'>[] | undefined;
}

const REPLACE = 'assistant.replace';

/** Every write: rows and audit entry in one transaction, then an invalidation of the caches. */
@Injectable()
export class AssistantRecords {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly runnables: RunnableAssistants,
  ) {}

  async create(caller: Caller, definition: Definition, reason: VersionReason): Promise<AssistantEntity> {
    let created: AssistantEntity | null = null;
    const id = await this.transactions.once('assistant.create', async (tx) => {
      const scope = this.assistants.within(caller.organizationId, tx);
      created = await scope.insert(caller.userId, definition, caller.userId, reason);
      const target = { type: 'assistant', id: created.id };
      await this.audit.record({ caller, action: `assistant.${reason}`, target, after: definition }, tx);
      return created.id;
    });
    this.runnables.forget(caller.organizationId, id);
    return existing(created ?? (await this.assistants.within(caller.organizationId).find(id)), 'Assistant');
  }

  /** True when an earlier try of this request has saved its version already. */
  get isReplaced(): boolean {
    return this.transactions.isDone(REPLACE);
  }

  /** False when another version was saved since `row` was read. */
  replace(caller: Caller, row: AssistantEntity, definition: Definition, reason: VersionReason): Promise<boolean> {
    const changes = changedFields(definitionOf(row), definition);
    const save: AssistantWork<boolean> = async (scope, tx) => {
      if (!(await scope.replace(row.id, row.version, definition, caller.userId, reason))) return false;
      const before = { version: row.version, ...Object.fromEntries(changes.map(({ path, from }) => [path, from])) };
      const after = { version: row.version + 1, ...Object.fromEntries(changes.map(({ path, to }) => [path, to])) };
      await this.record(caller, row, reason, before, after, tx);
      return true;
    };
    return this.write(row, save, REPLACE);
  }

  /**
   * The entry is written to the audit log of the assistant's organization, whose administrators read it. False when the
   * assistant is gone, or has to be published first.
   */
  setFlag(caller: Caller, row: AssistantEntity, flag: AssistantFlag, value: boolean, verb: string): Promise<boolean> {
    return this.write(row, async (scope, tx) => {
      if (!(await scope.setFlag(row.id, flag, value))) return false;
      await this.record(caller, row, verb, { [flag]: row[flag] }, { [flag]: value }, tx);
      return true;
    });
  }

  /** null unpublishes. The entry holds `note` beside the version. */
  async publish(
    caller: Caller,
    row: AssistantEntity,
    liveVersion: number | null,
    note: object | null = null,
  ): Promise<void> {
    await this.write(row, async (scope, tx) => {
      if (!(await scope.publish(row.id, liveVersion))) throw notFound('Assistant');
      const before = { published: row.published, live_version: row.liveVersion };
      const after = { published: liveVersion !== null, live_version: liveVersion, ...note };
      await this.record(caller, row, liveVersion === null ? 'unpublish' : 'publish', before, after, tx);
    });
  }

  /** Replaces the lists that are given. */
  async share(caller: Caller, row: AssistantEntity, { people, groups }: NewShares): Promise<void> {
    await this.write(row, async ({ shares }, tx) => {
      const before = {
        ...(people && { shares: (await shares.people([row.id])).map(({ userId, access }) => ({ userId, access })) }),
        ...(groups && { groups: (await shares.groups([row.id])).map(({ groupId, access }) => ({ groupId, access })) }),
      };
      if (people !== undefined) await shares.replacePeople(row.id, people);
      if (groups !== undefined) await shares.replaceGroups(row.id, groups);
      await this.record(
        caller,
        row,
        'share',
        before,
        { ...(people && { shares: people }), ...(groups && { groups }) },
        tx,
      );
    });
  }

  /** False when there is nothing to remove: it is gone, or in another version than `expected`. */
  remove(caller: Caller, row: AssistantEntity, expected: number | null): Promise<boolean> {
    return this.write(row, async (scope, tx) => {
      if (!(await scope.remove(row.id, expected))) return false;
      await this.record(caller, row, 'delete', { name: row.name }, null, tx);
      return true;
    });
  }

  private async write<T>({ organizationId, id }: AssistantEntity, work: AssistantWork<T>, once?: string): Promise<T> {
    const change = (tx: Transaction): Promise<T> => work(this.assistants.within(organizationId, tx), tx);
    const result = await (once === undefined ? this.transactions.run(change) : this.transactions.once(once, change));
    this.runnables.forget(organizationId, id);
    return result;
  }

  private record(
    caller: Caller,
    { id, organizationId }: AssistantEntity,
    verb: string,
    before: unknown,
    after: unknown,
    tx: Transaction,
  ): Promise<void> {
    const target = { type: 'assistant', id };
    return this.audit.record({ caller, organizationId, action: `assistant.${verb}`, target, before, after }, tx);
  }
}
