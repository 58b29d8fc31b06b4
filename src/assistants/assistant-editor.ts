import { Injectable } from '@nestjs/common';
import { AppError, type Caller, type Principal } from '../kernel';
import { AuditLog } from '../platform/audit';
import { Transactions } from '../platform/database';
import { AssistantLookup, type Seen } from './assistant-lookup';
import { applyInput, changedFields, type DefinitionInput, definitionOf, EMPTY_DEFINITION } from './definition';
import { DefinitionGate } from './definition-gate';
import { staleVersion } from './if-match';
import { RunnableAssistants } from './runnable-assistants';
import type { AssistantEntity } from './storage/assistant.entity';
import type { VersionReason } from './storage/assistant-version.entity';
import { AssistantRepository, type Definition } from './storage/assistant.repository';

/** Saves without If-Match take the newest version as their base; a race is tried again this often. */
const ATTEMPTS = 3;

const ownerOf = ({ organizationId, ownerId }: AssistantEntity): Principal => ({ organizationId, userId: ownerId });

/** Every write of a definition: checked first, then stored with its version and its audit entry in one transaction. */
@Injectable()
export class AssistantEditor {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly gate: DefinitionGate,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly runnables: RunnableAssistants,
  ) {}

  /** The caller becomes the owner. @throws {AppError} as `DefinitionGate.assertSavable`. */
  async create(caller: Caller, input: DefinitionInput, reason: VersionReason = 'create'): Promise<Seen> {
    const definition = applyInput(EMPTY_DEFINITION, input);
    await this.gate.assertSavable(definition, caller, null);
    const row = await this.transactions.run(async (tx) => {
      const assistants = this.assistants.within(caller.organizationId, tx);
      const created = await assistants.insert(caller.userId, definition, caller.userId, reason);
      const target = { type: 'assistant', id: created.id };
      await this.audit.record({ caller, action: `assistant.${reason}`, target, after: definition }, tx);
      return created;
    });
    this.runnables.forget(row.organizationId, row.id);
    return { row, access: 'owner' };
  }

  /**
   * `expected` null takes whatever is current. Saving what is already there makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is no longer current; else as `create`.
   */
  async update(caller: Caller, id: number, input: DefinitionInput, expected: number | null): Promise<Seen> {
    return this.rewrite(caller, id, expected, 'update', (current) => Promise.resolve(applyInput(current, input)));
  }

  /** @throws {AppError} `not_found` for a version that never was. */
  async restore(caller: Caller, id: number, version: number, expected: number | null): Promise<Seen> {
    return this.rewrite(caller, id, expected, 'restore', async () => {
      const old = await this.assistants.within(caller.organizationId).version(id, version);
      if (old === null) throw new AppError('not_found', 'Version not found');
      return definitionOf(old);
    });
  }

  async replace(caller: Caller, id: number, input: DefinitionInput): Promise<Seen> {
    return this.rewrite(caller, id, null, 'import', (current) => Promise.resolve(applyInput(current, input)));
  }

  /** Soft: the row stays for its runs and its history. */
  async remove(caller: Caller, id: number, expected: number | null): Promise<void> {
    const { row } = await this.lookup.administered(caller, id);
    if (expected !== null && expected !== row.version) throw staleVersion();
    await this.transactions.run(async (tx) => {
      await this.assistants.within(row.organizationId, tx).remove(id);
      const target = { type: 'assistant', id };
      await this.audit.record({ caller, action: 'assistant.delete', target, before: { name: row.name } }, tx);
    });
    this.runnables.forget(row.organizationId, id);
  }

  private async rewrite(
    caller: Caller,
    id: number,
    expected: number | null,
    reason: VersionReason,
    next: (current: Definition) => Promise<Definition>,
  ): Promise<Seen> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { row, access } = await this.lookup.configurable(caller, id);
      if (expected !== null && expected !== row.version) throw staleVersion();
      const before = definitionOf(row);
      const after = await next(before);
      const changes = changedFields(before, after);
      if (changes.length === 0) return { row, access };
      await this.gate.assertSavable(after, ownerOf(row), id);
      if (await this.store(caller, row, after, reason)) return this.lookup.configurable(caller, id);
    }
    throw staleVersion();
  }

  private async store(
    caller: Caller,
    row: AssistantEntity,
    after: Definition,
    reason: VersionReason,
  ): Promise<boolean> {
    const stored = await this.transactions.run(async (tx) => {
      const assistants = this.assistants.within(row.organizationId, tx);
      if (!(await assistants.replace(row.id, row.version, after, caller.userId, reason))) return false;
      const changes = changedFields(definitionOf(row), after);
      await this.audit.record(
        {
          caller,
          action: `assistant.${reason}`,
          target: { type: 'assistant', id: row.id },
          before: { version: row.version, ...Object.fromEntries(changes.map(({ path, from }) => [path, from])) },
          after: { version: row.version + 1, ...Object.fromEntries(changes.map(({ path, to }) => [path, to])) },
        },
        tx,
      );
      return true;
    });
    if (stored) this.runnables.forget(row.organizationId, row.id);
    return stored;
  }
}
