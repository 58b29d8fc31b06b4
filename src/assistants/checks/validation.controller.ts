import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { applyInput, EMPTY_DEFINITION, error, metadataProblems, storedDefinition } from '../../definition';
import type { Caller } from '../../kernel';
import { Access, CurrentCaller } from '../../platform/http';
import { DefinitionChecks } from './definition-checks';
import { DefinitionGate } from './definition-gate';
import { ValidateDefinitionDto, ValidationDto } from './validation.dto';

@ApiTags('Assistants')
@Controller('api/v1/assistants')
export class ValidationController {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly gate: DefinitionGate,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Check a template and metadata without saving',
    description: 'Ranges count UTF-16 code units of `template`. References are checked with the rights of the caller.',
  })
  @ApiOkResponse({ type: ValidationDto })
  async validate(
    @CurrentCaller() caller: Caller,
    @Body() { template, metadata, RAG_collections }: ValidateDefinitionDto,
  ): Promise<ValidationDto> {
    const unreadable = metadataProblems(metadata);
    const given = applyInput(EMPTY_DEFINITION, {
      prompt_template: template ?? '',
      ...(unreadable.length > 0 ? {} : { metadata }),
      ...(RAG_collections === undefined ? {} : { RAG_collections }),
    });
    const definition = storedDefinition(this.gate.withTemplate(given));
    const subject = { owner: caller, assistantId: null, definition, templatePath: 'template' };
    const { diagnostics, placeholders } = await this.checks.check(subject);
    const found = [...unreadable.map(({ path, message }) => error('metadata.invalid', path, message)), ...diagnostics];
    return {
      valid: found.every(({ severity }) => severity !== 'error'),
      diagnostics: found,
      placeholders: [...placeholders],
    };
  }
}
