import { Injectable } from '@nestjs/common';
import { type Caller, notFound, type Principal } from '../kernel';
import { AssistantLookup, type Seen } from './assistant-lookup';
import { AssistantRecords } from './assistant-records';
import { applyInput, changedFields, type DefinitionInput, definitionOf, EMPTY_DEFINITION } from './definition';
import { DefinitionGate } from './definition-gate';
import { staleVersion } from './if-match';
import type { VersionReason } from './storage/assistant-version.entity';
import type { AssistantEntity } from './storage/assistant.entity';
import { AssistantRepository, type Definition } from './storage/assistant.repository';

/** Saves without If-Match take the newest version as their base; a race is tried again this often. */
const ATTEMPTS = 3;

/** Changing only these never fails for a reference that has gone since the last save. */
const LABELS: ReadonlySet<string> = new Set(['name', 'description']);

export const ownerOf = ({ organizationId, ownerId }: AssistantEntity): Principal => ({
  organizationId,
  userId: ownerId,
});

/** Changes of definitions: nothing is stored that the gate refuses. */
@Injectable()
export class AssistantEditor {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly gate: DefinitionGate,
    private readonly records: AssistantRecords,
  ) {}

  /** The caller becomes the owner. @throws {AppError} as `DefinitionGate.assertSavable`. */
  async create(caller: Caller, input: DefinitionInput, reason: VersionReason = 'create'): Promise<Seen> {
    const definition = applyInput(EMPTY_DEFINITION, input);
    await this.gate.assertSavable(definition, caller, null);
    return { row: await this.records.create(caller, definition, reason), access: 'owner' };
  }

  /**
   * `expected` null takes whatever is current. Saving what is already there makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is no longer current; else as `create`.
   */
  update(
    caller: Caller,
    id: number,
    input: DefinitionInput,
    expected: number | null,
    reason: VersionReason = 'update',
  ): Promise<Seen> {
    return this.rewrite(caller, id, expected, reason, (current) => Promise.resolve(applyInput(current, input)));
  }

  /** Writes an old version as the newest. @throws {AppError} `not_found` for a version that never was. */
  restore(caller: Caller, id: number, version: number, expected: number | null): Promise<Seen> {
    return this.rewrite(caller, id, expected, 'restore', async () => {
      const old = await this.assistants.within(caller.organizationId).version(id, version);
      if (old === null) throw notFound('Version');
      return definitionOf(old);
    });
  }

  /** Soft: the row stays for its runs and its history. */
  async remove(caller: Caller, id: number, expected: number | null): Promise<void> {
    const { row } = await this.lookup.administered(caller, id);
    if (expected !== null && expected !== row.version) throw staleVersion();
    await this.records.remove(caller, row);
  }

  /** @throws {AppError} `conflict` while it is not complete, `feature_disabled`. */
  async publish(caller: Caller, id: number, published: boolean): Promise<Seen> {
    const { row } = await this.lookup.administered(caller, id);
    if (published) await this.gate.assertPublishable(definitionOf(row), ownerOf(row), id);
    if (row.published !== published) await this.records.publish(caller, row, published);
    return this.lookup.seen(caller, id);
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
      if (changes.some(({ path }) => !LABELS.has(path)))
        await this.gate.assertSavable(after, ownerOf(row), id, { by: caller, before });
      if (await this.records.replace(caller, row, after, reason)) return this.lookup.configurable(caller, id);
    }
    throw staleVersion();
  }
}
