import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AssistantIdPipe } from '../../../src/assistants';
import {
  Access,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
} from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import {
  AssistantTestDto,
  AssistantTestPageDto,
  CreateAssistantTestDto,
  ProposalQueryDto,
  UpdateAssistantTestDto,
} from './assistant-test.dto';
import { AssistantTests } from './assistant-tests.service';
import { TestProposals } from './test-proposals.service';

@ApiTags('Tests of assistants')
@Controller('api/v1/assistants/:id/tests')
export class AssistantTestsController {
  constructor(
    private readonly tests: AssistantTests,
    private readonly proposals: TestProposals,
  ) {}

  @Get()
  @Access({ scope: 'read', role: 'teacher', summary: 'Tests of an assistant, oldest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() page: PageQueryDto,
  ): Promise<AssistantTestPageDto> {
    return this.tests.list(caller, id, toPageRequest(page));
  }

  @Get('proposal')
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'A test that a run would pass',
    description:
      'The body of a `POST` to the tests: the questions of the run, and what was cited and found as expectations.',
  })
  propose(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() { run_id: runId }: ProposalQueryDto,
  ): Promise<CreateAssistantTestDto> {
    return this.proposals.of(caller, id, runId);
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'write', role: 'teacher', summary: 'Add a test' })
  create(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() body: CreateAssistantTestDto,
  ): Promise<AssistantTestDto> {
    return this.tests.create(caller, id, body);
  }

  @Get(':test')
  @TagsVersion()
  @Access({ scope: 'read', role: 'teacher', summary: 'Read a test' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('test') test: string,
  ): Promise<AssistantTestDto> {
    return this.tests.get(caller, id, test);
  }

  @Patch(':test')
  @TagsVersion()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Change a test',
    description: 'Absent members stay. Earlier results of the test no longer count before a publication.',
  })
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('test') test: string,
    @Body() body: UpdateAssistantTestDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<AssistantTestDto> {
    return this.tests.update(caller, id, test, body, expected);
  }

  @Delete(':test')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a test' })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Param('test') test: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.tests.remove(caller, id, test, expected);
  }
}
