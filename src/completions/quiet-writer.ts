import type { ModelRequest } from '../connectors';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';

/** Keeps the answer for whoever asked inside the service; what goes wrong is thrown to them. */
export class QuietWriter implements AnswerWriter {
  text = '';

  constructor(private readonly completion: Completion) {}

  begin(): void {
    /* nobody watches */
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { facts } = this.completion;
    const answer = await call.complete(request);
    facts.usage = answer.usage;
    facts.finishReason = answer.finishReason;
    this.text = answer.text;
  }

  report(markdown: string): void {
    this.completion.facts.finishReason = 'stop';
    this.text = markdown;
  }

  end(): void {
    /* the text is there */
  }

  fail(): boolean {
    return false;
  }
}
