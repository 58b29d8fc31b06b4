import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { AssistantIdPipe } from '../../src/assistants';
import type { Caller } from '../../src/kernel';
import { Access, CurrentCaller } from '../../src/infrastructure/http';
import { InsightsDto, InsightsQueryDto } from './insights.dto';
import { INSIGHTS_EXAMPLE } from './insights.openapi';
import { InsightsService } from './insights.service';
import { InsightReadings } from './reading/insight-readings.service';

@ApiTags('Assistants')
@ApiExtraModels(InsightsDto)
@Controller('api/v1/assistants/:id/insights')
export class InsightsController {
  constructor(
    private readonly insights: InsightsService,
    private readonly readings: InsightReadings,
  ) {}

  @Get()
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'What the class asks, for people who may edit the assistant',
    description:
      'Figures, questions that found nothing or little, similar questions, passages that no answer got, and ratings. ' +
      'The class is everybody but the people who may edit the assistant. Figures and lists about one to four people ' +
      'are left out, and so are names and addresses. Reading is audited.',
  })
  @ApiOkResponse({
    content: { 'application/json': { schema: { $ref: getSchemaPath(InsightsDto) }, example: INSIGHTS_EXAMPLE } },
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() query: InsightsQueryDto,
  ): Promise<InsightsDto> {
    const insights = await this.insights.of(caller, id, query);
    await this.readings.of(caller, id);
    return insights;
  }
}
