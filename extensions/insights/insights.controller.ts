import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { AssistantIdPipe } from '../../src/assistants';
import { Access, CurrentCaller } from '../../src/infrastructure/http';
import { InsightsDto, InsightsQueryDto } from './insights.dto';
import { InsightsService } from './insights.service';
import { InsightAccessAudit } from './report-periods.service';

const BIOLOGY = { id: '01997f3e-8c1a-7d55-9a60-1f1e6a0f2b11', name: 'Biology 1', editable: true };

/** Answer to `?days=2&time_zone=Europe/Madrid`; of `hours` only two. */
const INSIGHTS_EXAMPLE: InsightsDto = {
  from: '2026-11-25',
  to: '2026-11-26',
  questions: 64,
  people: 21,
  enough: true,
  least_people: 5,
  capped: false,
  deleted_questions: 0,
  days: [
    { date: '2026-11-25', questions: 40 },
    { date: '2026-11-26', questions: 24 },
  ],
  hours: [
    { hour: 9, questions: 38 },
    { hour: 10, questions: 26 },
  ],
  speed: { first_token_p50_ms: 620, answer_p50_ms: 2_400, answer_p95_ms: 6_100 },
  cost: { currency: 'EUR', micros: 96_000, per_question_micros: 1_500 },
  tokens: { prompt: 128_000, completion: 19_200, total: 147_200 },
  material: { searched: 60, nothing: 6, weak: 9, good: 45 },
  missed: [{ question: 'When is the exam?', times: 6, found: 'nothing' }],
  groups: [
    {
      words: ['osmosis', 'membrane'],
      question: 'What is osmosis?',
      questions: 18,
      people: 11,
      missed: 0,
      up: 7,
      down: null,
    },
  ],
  grouped_by: 'words',
  groupings: ['words', 'meaning'],
  hidden: { groups: 9, questions: 14 },
  unused: [
    {
      knowledge_base: BIOLOGY,
      documents: [
        {
          id: '01997f3e-9b02-7aa1-8c44-7d3a5d1f0c22',
          title: 'Cells',
          parts: 12,
          found: 9,
          never: [{ section: 'Cells › Lysosomes', page_text: 'p. 7' }],
        },
      ],
    },
  ],
  ratings: { up: 12, down: 5, reasons: [{ value: 'down', reason: 'It did not say which chapter.' }] },
  fixes: { knowledge_bases: [BIOLOGY] },
};

@ApiTags('Assistants')
@ApiExtraModels(InsightsDto)
@Controller('api/v1/assistants/:id/insights')
export class InsightsController {
  constructor(
    private readonly insights: InsightsService,
    private readonly accesses: InsightAccessAudit,
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
    await this.accesses.of(caller, id);
    return insights;
  }
}
