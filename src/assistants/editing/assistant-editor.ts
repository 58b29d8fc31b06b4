import { type Caller, type Principal, assertCurrent, notFound, staleVersion } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AssistantLookup, type Seen } from '../access/assistant-lookup';
import { StaticChecks } from '../checks/definition-checks';
import { SaveValidator } from '../checks/save-validator';
import {
  type Definition,
  type DefinitionInput,
  EMPTY_DEFINITION,
  applyInput,
  canonicalMetadata,
  changedFields,
  definitionOf,
  unboundKeys,
  withUnbound,
} from '../definition';
import type { VersionReason } from '../storage/assistant-version.entity';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import { AssistantRecords, CollectionBindings } from './assistant-records';
import { PUBLICATION_RULES, type PublicationRules } from './publication-rules.token';

/** Saves without If-Match build on the newest version; a lost race is retried this often. */
const ATTEMPTS = 3;

/** A save that changes only these is not checked, so a dangling reference cannot refuse it. */
const LABELS: ReadonlySet<string> = new Set(['name', 'description']);

/** Reasons of versions that only move the document to another metadata version. */
const SERVICE_REWRITES: ReadonlySet<VersionReason> = new Set(['convert', 'migrate']);

interface Next {
  /** The metadata in the client's form, to which the paths of problems refer. */
  readonly definition: Definition;
  /** The checks are skipped: it passed before and refers to nothing new. Its texts stay as they are. */
  readonly checked: boolean;
  /** The request gives references, so that those within reach are bound. */
  readonly binds: boolean;
}

export const ownerOf = ({
  organizationId,
  ownerId,
}: Pick<AssistantEntity, 'organizationId' | 'ownerId'>): Principal => ({
  organizationId,
  userId: ownerId,
});

/** Saves definitions that pass the gate. */
@Injectable()
export class AssistantEditor {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly validator: SaveValidator,
    private readonly records: AssistantRecords,
    private readonly checks: StaticChecks,
    private readonly bindings: CollectionBindings,
    @Inject(PUBLICATION_RULES) private readonly rules: PublicationRules,
  ) {}

  /** The caller becomes the owner. @throws {AppError} as `SaveValidator.assertSavable`. */
  async create(caller: Caller, input: DefinitionInput, reason: VersionReason = 'create'): Promise<Seen> {
    const given = this.validator.withTemplate(applyInput(EMPTY_DEFINITION, input));
    const bound = await this.bindings.bind(caller.organizationId, given, null, [caller]);
    const { unbound } = await this.validator.assertSavable(bound, caller, null, { by: caller, before: null });
    const definition = { ...bound, collectionIds: withUnbound(bound.collectionIds, unbound) };
    return { row: await this.records.create(caller, this.storedForm(definition), reason), access: 'owner' };
  }

  /** A multi-tool definition, completed with generated members. */
  storedForm(definition: Definition): Definition {
    return { ...definition, metadata: canonicalMetadata(definition.metadata, this.checks.vocabulary) };
  }

  /**
   * `expected` null accepts any version. Saving an unchanged definition makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is not current; else as `create`.
   */
  update(
    caller: Caller,
    id: number,
    input: DefinitionInput,
    expected: number | null,
    reason: VersionReason = 'update',
  ): Promise<Seen> {
    return this.rewrite(caller, id, expected, reason, (current) =>
      Promise.resolve({
        definition: this.changed(current, input),
        checked: false,
        binds: input.metadata !== undefined || input.RAG_collections !== undefined,
      }),
    );
  }

  /**
   * Writes an old version as the newest. The version right before a conversion or migration is restored unchecked: the
   * newest version has the same references, even when one of them is gone.
   * @throws {AppError} `not_found` for an unknown version; else as `create`.
   */
  restore(caller: Caller, id: number, version: number, expected: number | null): Promise<Seen> {
    const history = this.assistants.within(caller.organizationId);
    return this.rewrite(caller, id, expected, 'restore', async (_, current) => {
      const [old, newest] = await Promise.all([history.version(id, version), history.version(id, current)]);
      if (old === null) throw notFound('Version');
      const undoes = version + 1 === current && newest !== null && SERVICE_REWRITES.has(newest.reason);
      const definition = undoes ? definitionOf(old) : this.validator.withTemplate(definitionOf(old));
      return { definition, checked: undoes, binds: true };
    });
  }

  /** Soft: the row stays for its runs and its history. */
  async remove(caller: Caller, id: number, expected: number | null): Promise<void> {
    const { row } = await this.lookup.administered(caller, id);
    assertCurrent(expected, row.version);
    if (await this.records.remove(caller, row, expected)) return;
    throw expected === null ? notFound('Assistant') : staleVersion();
  }

  /**
   * Makes a version live; `version` null means the newest. `override` is the reason to publish it although its tests do
   * not pass.
   * @throws {AppError} `conflict` while it is not complete, or its tests do not pass where they must; `feature_disabled`, `not_found` for an unknown version.
   */
  async publish(caller: Caller, id: number, version: number | null, override: string | null = null): Promise<Seen> {
    const { row } = await this.lookup.administered(caller, id);
    const wanted = version ?? row.version;
    const kept = wanted === row.version ? row : await this.assistants.within(row.organizationId).version(id, wanted);
    if (kept === null) throw notFound('Version');
    await this.validator.assertPublishable(definitionOf(kept), ownerOf(row), id);
    if (!row.published || row.liveVersion !== wanted) {
      const note = await this.rules.admit({ caller, assistant: row, version: wanted, override });
      await this.records.publish(caller, row, wanted, note);
    }
    return this.lookup.seen(caller, id);
  }

  /** Everybody who may still use it gets the newest version again. */
  async unpublish(caller: Caller, id: number): Promise<Seen> {
    const { row } = await this.lookup.administered(caller, id);
    if (row.published) await this.records.publish(caller, row, null);
    return this.lookup.seen(caller, id);
  }

  /** Prompts stay as they are while neither the tools nor the template are saved. */
  private changed(current: Definition, input: DefinitionInput): Definition {
    const after = applyInput(current, input);
    if (input.metadata === undefined && input.prompt_template === undefined) return after;
    return this.validator.withTemplate(after, input.prompt_template === undefined ? current : null);
  }

  private async rewrite(
    caller: Caller,
    id: number,
    expected: number | null,
    reason: VersionReason,
    next: (current: Definition, version: number) => Promise<Next>,
  ): Promise<Seen> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { row, access } = await this.lookup.configurable(caller, id);
      if (this.records.isReplaced) return { row, access };
      assertCurrent(expected, row.version);
      const after = await this.admitted(caller, row, await next(definitionOf(row), row.version), reason);
      if (after === null) return { row, access };
      if (await this.records.replace(caller, row, after, reason)) return this.lookup.configurable(caller, id);
    }
    throw staleVersion();
  }

  /** The definition to store; null when the save changes nothing. */
  private async admitted(
    caller: Caller,
    row: AssistantEntity,
    { definition: given, checked, binds }: Next,
    reason: VersionReason,
  ): Promise<Definition | null> {
    const [before, owner] = [definitionOf(row), ownerOf(row)];
    const readers = [owner, caller];
    const definition = await this.bindings.bind(row.organizationId, given, bindingsOf(given, before), readers);
    // Restoring a version and omitting metadata both keep the stored text to the letter.
    const isGiven = reason !== 'restore' && definition.metadata !== before.metadata;
    const after = isGiven ? this.storedForm(definition) : definition;
    const changes = changedFields(before, after);
    const marks = unboundKeys(before.collectionIds);
    const rebinds = binds && marks.size > 0;
    if (!rebinds && changes.length === 0) return null;
    if (checked || !(rebinds || changes.some(({ path }) => !LABELS.has(path)))) return after;
    const { unbound } = await this.validator.assertSavable(definition, owner, row.id, { by: caller, before, binds });
    const isSame = changes.length === 0 && [...marks].every((key) => unbound.has(key));
    return isSame ? null : { ...after, collectionIds: withUnbound(after.collectionIds, unbound) };
  }
}

/** A restored version keeps the knowledge bases that its names meant. */
const bindingsOf = (given: Definition, before: Definition): Definition =>
  (given.collectionIds ?? null) === null ? before : given;
