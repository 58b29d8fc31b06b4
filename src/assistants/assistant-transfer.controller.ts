import { type Caller, invalid, isJsonObject } from '@bellwether/kernel';
import { Body, Controller, Get, HttpStatus, Param, Post, Query, Res, type Type } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller, assertHouseJson } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { AssistantIdPipe } from './access/assistant-id.pipe';
import { AssistantPresenter } from './editing/assistant-presenter';
import { AssistantTransfer, type Imported } from './assistant-transfer';
import { CreateAssistantDto } from './checks/validation.dto';
import {
  DuplicateAssistantDto,
  ExportedAssistantDto,
  ImportPlanDto,
  ImportQueryDto,
  ImportedAssistantDto,
  LambAssistantDto,
} from './import.dto';

const anyOf = (...types: readonly Type[]) => ({ anyOf: types.map((type) => ({ $ref: getSchemaPath(type) })) });

@ApiTags('Assistants')
@ApiExtraModels(ImportPlanDto, LambAssistantDto)
@Controller('api/v1/assistants')
export class AssistantTransferController {
  constructor(
    private readonly transfer: AssistantTransfer,
    private readonly presenter: AssistantPresenter,
  ) {}

  @Get(':id/export')
  @Access({ scope: 'read', summary: 'The definition as a document without ids and owners' })
  @ApiOkResponse({ type: ExportedAssistantDto })
  async export(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ExportedAssistantDto> {
    const document = await this.transfer.export(caller, id);
    response.attachment(`assistant-${id}.json`);
    return document;
  }

  @Post('import')
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Make an assistant from an exported document',
    description:
      'Reads exports of this service and of LAMB. Ids and owners are left behind. References out of reach keep their ' +
      'names. Both are listed. ' +
      'With `dry_run=true` nothing is written and the answer (200) is what would change. With `into` the assistant of ' +
      'that id is changed and answered (200).',
  })
  @ApiBody({ schema: anyOf(ExportedAssistantDto, CreateAssistantDto, LambAssistantDto) })
  @ApiCreatedResponse({ type: ImportedAssistantDto })
  @ApiOkResponse({
    description: 'The plan with `dry_run=true`; the changed assistant with `into` alone',
    schema: anyOf(ImportPlanDto, ImportedAssistantDto),
  })
  async import(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Query() { dry_run, into }: ImportQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportPlanDto | ImportedAssistantDto> {
    if (!isJsonObject(body))
      throw invalid([{ path: '', message: 'must be an exported assistant', code: 'import.not_one' }]);
    if (typeof body['metadata'] === 'string') assertHouseJson(body['metadata'], 'metadata');
    if (dry_run === 'true' || into !== undefined) response.status(HttpStatus.OK);
    if (dry_run === 'true') return this.transfer.plan(caller, body, into ?? null);
    return this.answer(caller, await this.transfer.import(caller, body, into ?? null), response);
  }

  @Post(':id/duplicate')
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Make a private copy' })
  async duplicate(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { name }: DuplicateAssistantDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportedAssistantDto> {
    return this.answer(caller, await this.transfer.duplicate(caller, id, name), response);
  }

  private async answer(
    caller: Caller,
    { seen, dropped, bound }: Imported,
    response: Response,
  ): Promise<ImportedAssistantDto> {
    response.set('etag', `"${seen.row.version}"`).location(`/api/v1/assistants/${seen.row.id}`);
    return { ...(await this.presenter.one(caller, seen)), dropped: [...dropped], bound: [...bound] };
  }
}
