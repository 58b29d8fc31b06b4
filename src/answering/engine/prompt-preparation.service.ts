import { Injectable } from '@nestjs/common';
import { ClassicPipeline } from '../../classic';
import { AppError, type ChatMessage, isJsonObject, textOf } from '../../kernel';
import { MultiToolPipeline } from '../../multi-tool';
import { type PreparedPrompt, Unprepared } from '../../runs';
import type { FunctionSet } from '../../tools';
import type { Completion } from '../completion/completion.types';
import type { AnswerLedger } from './answer-ledger';
import { MaterialOnly } from './material-only.service';
import { recordedPrompt } from '../replay/recorded-prompt';
import { withInstruction } from './with-instruction';

/** Runs the assistant's own pipeline: from the question to the final messages. */
@Injectable()
export class PromptPreparation {
  constructor(
    private readonly classic: ClassicPipeline,
    private readonly multiTool: MultiToolPipeline,
    private readonly material: MaterialOnly,
  ) {}

  /** @throws AppError */
  async prepare(completion: Completion, ledger: AnswerLedger, functions: FunctionSet): Promise<PreparedPrompt> {
    const { recorded, request, run } = completion;
    const prepared =
      recorded === null ? await this.worked(completion, ledger, functions) : recordedPrompt(completion, recorded);
    ledger.spend(prepared.usage);
    const chars = charsOf(prepared.messages);
    completion.promptMemory.take(2 * Math.max(0, chars - charsOf(request.messages)));
    ledger.ready(prepared);
    run.emit({ type: 'prompt.ready', messages: prepared.messages.length, chars });
    return prepared;
  }

  private async worked(completion: Completion, ledger: AnswerLedger, functions: FunctionSet): Promise<PreparedPrompt> {
    const { assistant, assistants, request, run } = completion;
    const { messages, params, stream } = request;
    const pipeline = assistant.document.type === 'multi_tool' ? this.multiTool : this.classic;
    const metadata = isJsonObject(params['metadata']) ? params['metadata'] : {};
    const { caller } = run.input;
    const { declarations } = functions;
    const job = { assistant, caller, messages, metadata, params, run, stream, assistants, functions: declarations };
    const filled = await pipeline.prepare(job).catch((error: unknown) => {
      if (error instanceof AppError) ledger.spend(error.usage);
      if (error instanceof Unprepared) ledger.failedEarly(error.report);
      throw error;
    });
    const answered = await this.material.instructed(completion, filled);
    return completion.instruction === null
      ? answered
      : { ...answered, messages: withInstruction(answered.messages, completion.instruction) };
  }
}

const charsOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : textOf(content).length),
    0,
  );
