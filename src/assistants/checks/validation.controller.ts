import type { Caller, Principal } from '@bellwether/kernel';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  applyInput,
  type Definition,
  definitionOf,
  EMPTY_DEFINITION,
  error,
  metadataProblems,
  storedDefinition,
  withoutUnbound,
} from '../definition';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { AssistantLookup } from '../access/assistant-lookup';
import { LentMaterial } from './lent-material';
import { type CheckSubject, DefinitionChecks } from './definition-checks';
import { SaveValidator } from './save-validator';
import { ValidateDefinitionDto, ValidationDto } from './validation.dto';

@ApiTags('Assistants')
@Controller('api/v1/assistants')
export class ValidationController {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly validator: SaveValidator,
    private readonly lookup: AssistantLookup,
    private readonly material: LentMaterial,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Check a template and metadata without saving',
    description:
      'Ranges count UTF-16 code units of `template`. References are checked with the rights of the caller; for an edit of ' +
      'a stored assistant with those of its owner, and what the edit adds also with those of the caller.',
  })
  async validate(
    @CurrentCaller() caller: Caller,
    @Body() { template, metadata, RAG_collections, assistant_id }: ValidateDefinitionDto,
  ): Promise<ValidationDto> {
    const unreadable = metadataProblems(metadata);
    const given = applyInput(EMPTY_DEFINITION, {
      prompt_template: template ?? '',
      ...(unreadable.length > 0 ? {} : { metadata }),
      ...(RAG_collections === undefined ? {} : { RAG_collections }),
    });
    const { owner, assistantId, before } = await this.edited(caller, assistant_id);
    const { diagnostics, placeholders } = await this.checks.check({
      owner,
      assistantId,
      definition: this.validator.withTemplate(given),
      templatePath: 'template',
      edit: { by: caller, before },
    });
    const found = [...unreadable.map(({ path, message }) => error('metadata.invalid', path, message)), ...diagnostics];
    return {
      valid: found.every(({ severity }) => severity !== 'error'),
      diagnostics: found,
      placeholders: [...placeholders],
      material: before === null || owner.userId === caller.userId ? [] : await this.named(before, owner, caller),
    };
  }

  /** References that nobody who may read the thing has saved are not named. */
  private named(before: Definition, owner: Principal, editor: Principal): ReturnType<LentMaterial['of']> {
    const bound = withoutUnbound(storedDefinition(before), before.collectionIds ?? null);
    return this.material.of(bound, owner, editor);
  }

  /** The assistant that is edited, and its owner, whose access counts. @throws {AppError} `not_found`, `forbidden` for an assistant that the caller may not edit */
  private async edited(caller: Caller, id: number | undefined): Promise<Edited> {
    if (id === undefined) return { owner: caller, assistantId: null, before: null };
    const { row } = await this.lookup.configurable(caller, id);
    const { organizationId, ownerId: userId } = row;
    return { owner: { organizationId, userId }, assistantId: id, before: definitionOf(row) };
  }
}

type Edited = Pick<CheckSubject, 'owner' | 'assistantId'> & { readonly before: Definition | null };
