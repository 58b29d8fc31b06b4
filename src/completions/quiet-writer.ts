import type { ModelRequest } from '../connectors';
import { addUsage } from '../kernel';
import type { RoundAnswer } from '../tool-calling';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';
import { joinedTexts } from './whole-body';

/** Keeps the answer for whoever asked inside the service; what goes wrong is thrown to them. */
export class QuietWriter implements AnswerWriter {
  text = '';
  private readonly texts: string[] = [];

  constructor(private readonly completion: Completion) {}

  begin(): void {
    /* nobody watches */
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { facts } = this.completion;
    const answer = await call.complete(request);
    facts.usage = addUsage(facts.usage, answer.usage);
    facts.finishReason = answer.finishReason;
    this.text = answer.text;
  }

  async round(call: ModelCall, request: ModelRequest): Promise<RoundAnswer> {
    const { facts } = this.completion;
    const { text, calls, finishReason, usage } = await call.complete(request);
    facts.usage = addUsage(facts.usage, usage);
    facts.finishReason = finishReason;
    this.texts.push(text);
    this.text = joinedTexts(this.texts);
    return { text, calls, finishReason, usage };
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
