import { Global, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AssistantsModule } from '../assistants';
import type { AssistantAbility } from '../tools';
import { type AbilityProvider, ASSISTANT_ABILITY } from './admission/assistant-ability.token';
import { AnsweringModule } from './answering.module';
import { AssistantCalls } from './assistant-calls';
import type { Completion } from './completion.types';

/** Looked up after construction: a called assistant is admitted by the service that needs the ability. */
@Injectable()
class LateAssistantCalls implements AbilityProvider, OnModuleInit {
  private calls!: AssistantCalls;

  constructor(private readonly modules: ModuleRef) {}

  onModuleInit(): void {
    this.calls = this.modules.get(AssistantCalls);
  }

  abilityFor(completion: Completion): AssistantAbility | null {
    return this.calls.abilityFor(completion);
  }
}

/** Global, because `AnsweringModule` cannot import it. */
@Global()
@Module({
  imports: [AnsweringModule, AssistantsModule],
  providers: [AssistantCalls, { provide: ASSISTANT_ABILITY, useClass: LateAssistantCalls }],
  exports: [ASSISTANT_ABILITY],
})
export class AssistantCallsModule {}
