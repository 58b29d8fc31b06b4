import type { ChatMessage, ToolRef } from '../../kernel';
import { CallContext, type TryOfContext } from '../calls/call-context';
import type { Invocation, ToolContext, ToolInput } from '../contract';

/** What a tool may look at although its result is kept: the key holds it, or it is renewed with every answer. */
export interface Declared {
  readonly messages: boolean;
  /** `results` and `prompt`. */
  readonly results: boolean;
  readonly caller: boolean;
  readonly assistantId: boolean;
}

/** Notes what a tool looked at without having declared it. */
export type Note = (member: string) => void;

/** A context in which nothing that decides a result can be read unnoticed. */
export class WatchedContext extends CallContext {
  constructor(
    ref: ToolRef,
    invocation: Invocation,
    attempt: TryOfContext,
    private readonly declared: Declared,
    private readonly note: Note,
  ) {
    super(ref, invocation, attempt);
  }

  override get caller(): ToolContext['caller'] {
    if (!this.declared.caller) this.note('caller');
    return super.caller;
  }

  override get assistantId(): number {
    if (!this.declared.assistantId) this.note('assistantId');
    return super.assistantId;
  }

  override get assistants(): ToolContext['assistants'] {
    this.note('assistants');
    return super.assistants;
  }

  override get prompt(): string {
    if (!this.declared.results) this.note('prompt');
    return super.prompt;
  }

  override get results(): ToolContext['results'] {
    if (!this.declared.results) this.note('results');
    return super.results;
  }
}

/** The same for what was asked. */
export class WatchedInput implements ToolInput {
  constructor(
    private readonly input: ToolInput,
    private readonly declared: Declared,
    private readonly note: Note,
  ) {}

  get query(): string {
    return this.input.query;
  }

  get messages(): readonly ChatMessage[] {
    if (!this.declared.messages) this.note('messages');
    return this.input.messages;
  }
}
