import type { ModelChunk, ModelRequest } from '../connectors';
import { addUsage, type Usage } from '../kernel';
import { CallAssembler, type RoundAnswer } from '../tool-calling';
import type { AnswerWriter, Completion, ModelCall } from './completion.types';

/** Before what a later request to the model says: it begins a paragraph of its own. */
const BREAK = '\n\n';

/** Tells the answer as events of the run, for readers that come and go. */
export class BackgroundWriter implements AnswerWriter {
  private said = false;

  constructor(private readonly completion: Completion) {}

  begin(): void {
    /* the events say that it has begun */
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { facts } = this.completion;
    const spent = facts.usage;
    for await (const chunk of this.read(call, request, '')) {
      if (chunk.usage !== null) facts.usage = addUsage(spent, chunk.usage);
      facts.finishReason = chunk.finishReason ?? facts.finishReason;
    }
  }

  async round(call: ModelCall, request: ModelRequest): Promise<RoundAnswer> {
    const { facts } = this.completion;
    const calls = new CallAssembler();
    let text = '';
    let usage: Usage | null = null;
    let finishReason = '';
    for await (const chunk of this.read(call, request, this.said ? BREAK : '')) {
      for (const delta of chunk.calls ?? []) calls.add(delta);
      text += chunk.text;
      usage = chunk.usage ?? usage;
      finishReason = chunk.finishReason ?? finishReason;
    }
    facts.usage = addUsage(facts.usage, usage);
    facts.finishReason = finishReason;
    return { text, calls: calls.finish(), finishReason, usage };
  }

  report(markdown: string): void {
    this.completion.facts.finishReason = 'stop';
    this.tell(markdown);
  }

  end(): void {
    /* the terminal event says so */
  }

  /** The terminal event has told it. */
  fail(): boolean {
    return true;
  }

  /** No faster than the log takes it: what a slow database cannot keep is not asked of the vendor. */
  private async *read(call: ModelCall, request: ModelRequest, before: string): AsyncGenerator<ModelChunk> {
    const { run, facts } = this.completion;
    let lead = before;
    for await (const batch of call.stream(request)) {
      facts.firstTokenMs ??= performance.now() - run.startedMono;
      for (const chunk of batch) {
        if (chunk.text !== '') {
          this.tell(lead + chunk.text);
          lead = '';
        }
        yield chunk;
      }
      await run.drained();
      run.signal.throwIfAborted();
    }
  }

  private tell(text: string): void {
    this.said = true;
    this.completion.run.emit({ type: 'llm.delta', text });
  }
}
