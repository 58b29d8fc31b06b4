import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  applyInput,
  definitionOf,
  EMPTY_DEFINITION,
  error,
  metadataProblems,
  storedDefinition,
} from '../../definition';
import type { Caller } from '../../kernel';
import { Access, CurrentCaller } from '../../platform/http';
import { AssistantLookup } from '../access/assistant-lookup';
import { AssistantMaterial } from './assistant-material';
import { type CheckSubject, DefinitionChecks } from './definition-checks';
import { DefinitionGate } from './definition-gate';
import { ValidateDefinitionDto, ValidationDto } from './validation.dto';

@ApiTags('Assistants')
@Controller('api/v1/assistants')
export class ValidationController {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly gate: DefinitionGate,
    private readonly lookup: AssistantLookup,
    private readonly material: AssistantMaterial,
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
  @ApiOkResponse({ type: ValidationDto })
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
    const definition = storedDefinition(this.gate.withTemplate(given));
    const edited = await this.edited(caller, assistant_id);
    const { diagnostics, placeholders } = await this.checks.check({ definition, templatePath: 'template', ...edited });
    const found = [...unreadable.map(({ path, message }) => error('metadata.invalid', path, message)), ...diagnostics];
    return {
      valid: found.every(({ severity }) => severity !== 'error'),
      diagnostics: found,
      placeholders: [...placeholders],
      material: edited.edit === undefined ? [] : await this.material.of(edited.edit.before, edited.owner, caller),
    };
  }

  /** Whose access counts. @throws {AppError} `not_found`, `forbidden` for an assistant that the caller may not edit */
  private async edited(
    caller: Caller,
    id: number | undefined,
  ): Promise<Pick<CheckSubject, 'owner' | 'assistantId' | 'edit'>> {
    if (id === undefined) return { owner: caller, assistantId: null };
    const { row } = await this.lookup.configurable(caller, id);
    const { organizationId, ownerId: userId } = row;
    if (userId === caller.userId) return { owner: caller, assistantId: id };
    const before = storedDefinition(definitionOf(row));
    return { owner: { organizationId, userId }, assistantId: id, edit: { by: caller, before } };
  }
}
