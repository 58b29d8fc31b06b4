import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AssistantIdPipe } from '../../../src/assistants';
import { Access, CurrentCaller, PageQueryDto, toPageRequest } from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { TestDiffs } from './test-diffs.service';
import {
  StartTestRunDto,
  TestDiffDto,
  TestDiffQueryDto,
  TestResultPageDto,
  TestRunDto,
  TestRunPageDto,
} from './test-run.dto';
import { TestRuns } from './test-runs.service';

@ApiTags('Tests of assistants')
@Controller('api/v1/assistants/:id/test-runs')
export class TestRunsController {
  constructor(
    private readonly testRuns: TestRuns,
    private readonly diffs: TestDiffs,
  ) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Run the tests of an assistant',
    description:
      'Asks the questions of a saved version as background runs of the caller, within the limits of the organization. ' +
      'Statistics leave them out.',
  })
  @ApiAcceptedResponse({
    type: TestRunDto,
    headers: { Location: { description: 'Path of the test run', schema: { type: 'string' } } },
  })
  async start(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { version, test_ids: ids }: StartTestRunDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TestRunDto> {
    const testRun = await this.testRuns.start(caller, id, { version, ids });
    response.setHeader('Location', `/api/v1/assistants/${id}/test-runs/${testRun.id}`);
    return testRun;
  }

  @Get()
  @Access({ scope: 'read', role: 'teacher', summary: 'Test runs of an assistant, newest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() page: PageQueryDto,
  ): Promise<TestRunPageDto> {
    return this.testRuns.list(caller, id, toPageRequest(page));
  }

  @Get(':run')
  @Access({ scope: 'read', role: 'teacher', summary: 'Read a test run' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('run') run: string,
  ): Promise<TestRunDto> {
    return this.testRuns.get(caller, id, run);
  }

  @Get(':run/results')
  @Access({ scope: 'read', role: 'teacher', summary: 'Results of a test run, in the order of the tests' })
  results(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('run') run: string,
    @Query() page: PageQueryDto,
  ): Promise<TestResultPageDto> {
    return this.testRuns.listResults(caller, id, run, toPageRequest(page));
  }

  @Get(':run/diff')
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Compare a test run with an earlier one',
    description: 'Which test got better or worse, and what differs: the definition, answers, models and passages.',
  })
  diff(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('run') run: string,
    @Query() { with: earlier }: TestDiffQueryDto,
  ): Promise<TestDiffDto> {
    return this.diffs.between(caller, id, earlier, run);
  }

  @Post(':run/cancel')
  @HttpCode(200)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Cancel a test run',
    description: 'The results so far stay.',
  })
  cancel(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('run') run: string,
  ): Promise<TestRunDto> {
    return this.testRuns.cancel(caller, id, run);
  }
}
