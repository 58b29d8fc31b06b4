import { AppError, type Caller, isTeacher, NO_ASSISTANT } from '@bellwether/kernel';
import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { applyInput, type Definition, definitionOf, EMPTY_DEFINITION, withUnbound } from './definition';
import { AssistantLookup } from './access/assistant-lookup';
import { disclosureTo } from './access/assistant.permissions';
import type { RunnableAssistant } from './access/assistant.types';
import { SaveValidator } from './checks/save-validator';
import { ownerOf } from './editing/assistant-editor';
import { CollectionBindings } from './editing/assistant-records';
import { DefinitionParser } from './editing/definition-parser';
import { AssistantCompiler } from './running/assistant-compiler';
import { CachedAssistant, NO_SHARES, type RunnableRow } from './running/cached-assistant';
import { RunnableAssistants } from './running/runnable-assistants';
import type { AssistantEntity } from './storage/assistant.entity';

export interface DraftInput {
  /** The assistant that the definition is a draft of; null for one that is not stored. */
  readonly assistantId: number | null;
  /** Body of a POST to `/assistants`; the name may be absent. */
  readonly definition: unknown;
}

interface DraftBase {
  readonly row: Pick<AssistantEntity, 'id' | 'organizationId' | 'ownerId'>;
  /** null for a definition that was never stored. */
  readonly before: Definition | null;
  readonly rights: Pick<RunnableAssistant, 'access' | 'disclosure'>;
}

/** Definitions that run without being saved. They pass the checks of a save. */
@Injectable()
export class DraftAssistants {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly runnables: RunnableAssistants,
    private readonly parser: DefinitionParser,
    private readonly bindings: CollectionBindings,
    private readonly validator: SaveValidator,
    private readonly compiler: AssistantCompiler,
  ) {}

  /**
   * Makes a draft runnable for callers who may make assistants, and edit the stored one where there is one. Content is
   * read with the rights of the stored assistant's owner, else with the caller's.
   * @throws {AppError} `forbidden`, `not_found`, or as a save of the definition
   */
  async runnable(caller: Caller, { assistantId, definition: body }: DraftInput): Promise<RunnableAssistant> {
    if (!isTeacher(caller) || !caller.scopes.includes('write'))
      throw new AppError('forbidden', 'Only people who may make assistants can run a draft');
    const { row, before, rights } = await this.base(caller, assistantId);
    const input = await this.parser.toDraft(caller, assistantId, body);
    const given = this.compiler.withTemplate(applyInput(EMPTY_DEFINITION, input));
    const owner = ownerOf(row);
    const bound = await this.bindings.bind(row.organizationId, given, before, [owner, caller]);
    const { unbound } = await this.validator.assertSavable(bound, owner, assistantId, { by: caller, before });
    const definition = { ...bound, collectionIds: withUnbound(bound.collectionIds, unbound) };
    return new CachedAssistant(draftRow(row, definition), NO_SHARES, false, this.compiler).known(rights, {
      draft: true,
    });
  }

  private async base(caller: Caller, assistantId: number | null): Promise<DraftBase> {
    if (assistantId === null) {
      if (caller.assistantIds !== null)
        throw new AppError('forbidden', 'This credential is bound to assistants: name one of them as `assistant_id`');
      const { organizationId, userId: ownerId } = caller;
      const rights = { access: 'owner', disclosure: disclosureTo(caller, 'owner') } as const;
      return { row: { id: NO_ASSISTANT, organizationId, ownerId }, before: null, rights };
    }
    const { row } = await this.lookup.configurable(caller, assistantId);
    return { row, before: definitionOf(row), rights: await this.runnables.find(caller, assistantId) };
  }
}

/** Each draft has a version of its own, so that plans remembered by version never mix. */
const draftRow = ({ id, organizationId, ownerId }: DraftBase['row'], definition: Definition): RunnableRow => ({
  ...definition,
  newestVersion: 0,
  id,
  organizationId,
  ownerId,
  version: -randomInt(1, 2 ** 31),
  published: false,
  disabled: false,
});
