import { AppError, type Caller, type ChatMessage, notFound, textOf } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ComparedRuns } from '../what-if/what-if.service';
import { RunsService } from '../../../src/runs';
import { ExpectationCatalogue } from '../expectations/expectation-catalogue';
import { testedAnswer } from '../expectations/expectation-runner.service';
import type { CreateAssistantTestDto } from './assistant-test.dto';

const MOST_TURNS = 10;
const NAME_CHARS = 100;

/** Makes tests of runs: the questions, and what was cited and found as expectations. */
@Injectable()
export class TestProposals {
  constructor(
    private readonly sides: ComparedRuns,
    private readonly runs: RunsService,
    private readonly catalogue: ExpectationCatalogue,
  ) {}

  /** @throws AppError `not_found`; `conflict` when the contents of the run are not kept */
  async of(caller: Caller, assistantId: number, runId: string): Promise<CreateAssistantTestDto> {
    const side = await this.sides.find(caller, runId);
    if (side === null || side.record.assistantId !== assistantId) throw notFound('Run');
    const recording = await this.runs.recording(side.record);
    if (side.answer === null || typeof recording === 'string')
      throw new AppError('conflict', 'The contents of this run are not kept, so no test can be made of it', {
        reason: 'replay.not_kept',
      });
    const questions = questionsOf(recording.request.messages);
    const [name = ''] = questions.slice(-1);
    const answer = testedAnswer(side.record, { question: name, text: side.answer, fixed: recording.fixed !== null });
    const expectations = this.catalogue.proposals(answer).map((each) => ({ ...each }));
    return {
      name: name.replaceAll(/\s+/gu, ' ').trim().slice(0, NAME_CHARS).toWellFormed(),
      turns: questions.map((question, index) => ({
        question,
        expectations: index === questions.length - 1 ? expectations : [],
      })),
    };
  }
}

const questionsOf = (messages: readonly ChatMessage[]): readonly string[] =>
  messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content))
    .filter((text) => text.trim() !== '')
    .slice(-MOST_TURNS);
