import { Inject, Injectable } from '@nestjs/common';
import {
  type ProcessorDefinition,
  PROMPT_PROCESSORS,
  type PromptProcessor,
  RAG_PROCESSORS,
  type RagProcessor,
} from './contract';

/** The classic processors by name and by the names that stored assistants carry for them. */
@Injectable()
export class ProcessorCatalogue {
  private readonly prompt: ReadonlyMap<string, PromptProcessor>;
  private readonly rag: ReadonlyMap<string, RagProcessor>;

  constructor(
    @Inject(PROMPT_PROCESSORS) private readonly promptProcessors: readonly PromptProcessor[],
    @Inject(RAG_PROCESSORS) private readonly ragProcessors: readonly RagProcessor[],
  ) {
    this.prompt = byName(promptProcessors);
    this.rag = byName(ragProcessors);
  }

  promptDefinitions(): ProcessorDefinition[] {
    return this.promptProcessors.map(({ definition }) => definition);
  }

  ragDefinitions(): ProcessorDefinition[] {
    return this.ragProcessors.map(({ definition }) => definition);
  }

  findPrompt(name: string): PromptProcessor | undefined {
    return this.prompt.get(name);
  }

  findRag(name: string): RagProcessor | undefined {
    return this.rag.get(name);
  }
}

function byName<T extends { readonly definition: ProcessorDefinition }>(processors: readonly T[]): Map<string, T> {
  return new Map(
    processors.flatMap((each) => [each.definition.name, ...each.definition.aliases].map((name) => [name, each])),
  );
}
