import { Inject, Injectable } from '@nestjs/common';
import { closestName } from '../tools';
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

  /** For "did you mean": null when nothing is near. */
  closestPrompt(name: string): string | null {
    const near = closestName(name, [...this.prompt.keys()]);
    return near === null ? null : (this.prompt.get(near)?.definition.name ?? null);
  }

  closestRag(name: string): string | null {
    const near = closestName(name, [...this.rag.keys()]);
    return near === null ? null : (this.rag.get(near)?.definition.name ?? null);
  }
}

function byName<T extends { readonly definition: ProcessorDefinition }>(processors: readonly T[]): Map<string, T> {
  return new Map(
    processors.flatMap((each) => [each.definition.name, ...each.definition.aliases].map((name) => [name, each])),
  );
}
