import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Access, clientAbortSignal, CurrentCaller, ForPeople } from '../../../src/infrastructure/http';
import { EvaluateDto, EvaluationDto } from './evaluation.dto';
import { EvaluationService } from './evaluation.service';
import { JudgeDto, JudgementDto, JudgementListDto, JudgementListQueryDto } from './judgement.dto';
import { JudgementsService } from './judgements.service';

@ForPeople()
@Controller('api/v1/knowledge-bases/:knowledgeBaseId')
export class JudgementsController {
  constructor(
    private readonly judgements: JudgementsService,
    private readonly evaluation: EvaluationService,
  ) {}

  @Get('judgements')
  @Access({ scope: 'read', role: 'teacher', summary: 'List the passages judged for questions, newest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Query() { question }: JudgementListQueryDto,
  ): Promise<JudgementListDto> {
    return this.judgements.list(caller, knowledgeBaseId, question ?? null);
  }

  @Put('judgements')
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Judge whether a passage answers a question',
    description:
      'A second judgement of the same passage for the same question replaces the first. It holds while a passage of the same text is in the knowledge base, also after the documents were indexed anew.',
  })
  judge(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Body() body: JudgeDto,
  ): Promise<JudgementDto> {
    return this.judgements.judge(caller, knowledgeBaseId, body);
  }

  @Delete('judgements/:id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Remove a judgement' })
  remove(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.judgements.remove(caller, knowledgeBaseId, id);
  }

  @Post('evaluation')
  @HttpCode(200)
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Compare search settings on the judged questions',
    description: 'Asks the 50 newest judged questions with each of the settings. Nothing is saved.',
  })
  evaluate(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Body() body: EvaluateDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EvaluationDto> {
    return this.evaluation.evaluate(caller, knowledgeBaseId, body, clientAbortSignal(response));
  }
}
