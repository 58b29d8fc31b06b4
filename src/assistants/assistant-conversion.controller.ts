import type { Caller } from '@bellwether/kernel';
import { Controller, Headers, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller, expectedVersion } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { AssistantDto } from './editing/assistant.dto';
import { AssistantEditorGuard } from './access/assistant-editor.guard';
import { AssistantIdPipe } from './access/assistant-id.pipe';
import { AssistantPresenter } from './editing/assistant-presenter';
import { AssistantConversion } from './assistant-conversion';
import { ConversionPlanDto, ConversionQueryDto } from './conversion.dto';

@ApiTags('Assistants')
@ApiExtraModels(AssistantDto, ConversionPlanDto)
@Controller('api/v1/assistants/:id/convert')
export class AssistantConversionController {
  constructor(
    private readonly conversion: AssistantConversion,
    private readonly presenter: AssistantPresenter,
  ) {}

  @Post()
  @HttpCode(200)
  @UseGuards(AssistantEditorGuard)
  @Idempotent({ unless: ({ query }) => query.dry_run === 'true' })
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Make a classic assistant a multi-tool one',
    description:
      'Its prompts stay the same, which is proved first; the old version can be restored. Refused (422) with what stands ' +
      'in the way, and 409 when there is nothing to convert. With `dry_run=true` nothing is written and the answer is what would change.',
  })
  @ApiHeader({
    name: 'if-match',
    required: false,
    description: 'Version that is to be converted, e.g. `"3"`. Browser sessions must send it unless it is a dry run.',
  })
  @ApiOkResponse({
    schema: { oneOf: [{ $ref: getSchemaPath(AssistantDto) }, { $ref: getSchemaPath(ConversionPlanDto) }] },
  })
  async convert(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() { dry_run }: ConversionQueryDto,
    @Res({ passthrough: true }) response: Response,
    @Headers('if-match') ifMatch?: string,
  ): Promise<ConversionPlanDto | AssistantDto> {
    if (dry_run === 'true') {
      return this.conversion.plan(caller, id, expectedVersion(caller, ifMatch, 'welcome'));
    }
    const seen = await this.conversion.convert(caller, id, expectedVersion(caller, ifMatch, 'demanded'));
    response.set({ etag: `"${seen.row.version}"`, 'cache-control': 'no-store' });
    return this.presenter.one(caller, seen);
  }
}
