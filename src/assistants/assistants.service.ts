import { Injectable } from '@nestjs/common';
import type { Caller } from '../kernel';
import { AssistantEditor } from './assistant-editor';
import type { RunnableAssistant } from './assistant.types';
import { type CallAnswer, type CallQuestion, CallTargets } from './assistant-tools/call-targets';
import type { DefinitionInput } from './definition';
import { AccessMigration } from './rewriting/access-migration';
import { RunnableAssistants } from './runnable-assistants';

/** What the other rooms ask of this one. */
@Injectable()
export class AssistantsService {
  constructor(
    private readonly runnables: RunnableAssistants,
    private readonly editor: AssistantEditor,
    private readonly targets: CallTargets,
    private readonly migration: AccessMigration,
  ) {}

  /**
   * From memory, at most 5 s old; migrated first where the policy says so.
   * @throws {AppError} `not_found` for whatever the caller may not use.
   */
  async runnable(caller: Caller, id: number): Promise<RunnableAssistant> {
    const found = await this.runnables.find(caller, id);
    return (await this.migration.migrate(found)) ? this.runnables.find(caller, id) : found;
  }

  /** Everything the caller may use, by id. */
  listRunnable(caller: Caller): Promise<RunnableAssistant[]> {
    return this.runnables.list(caller);
  }

  /** Whether one assistant may be offered as a tool of another; on rows read for this question. */
  mayOffer(question: CallQuestion): Promise<CallAnswer> {
    return this.targets.offer(question);
  }

  /** Whether one assistant may call another now; on rows read for this question. */
  mayCall(question: CallQuestion): Promise<CallAnswer> {
    return this.targets.decide(question);
  }

  /** Returns the id. @throws {AppError} when the definition does not pass. */
  async create(caller: Caller, input: DefinitionInput & { readonly name: string }): Promise<number> {
    const { row } = await this.editor.create(caller, input);
    return row.id;
  }
}
