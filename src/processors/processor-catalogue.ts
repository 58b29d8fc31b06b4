import { Inject, Injectable } from '@nestjs/common';
import type { Plugin } from '@bellwether/plugin';
import { constructPlugins, type Doubles, withPlugins } from '../infrastructure/plugins';
import { closestName } from '../tools';
import { PROMPT_PROCESSOR_PLUGINS, RAG_PROCESSOR_PLUGINS } from './catalog';
import {
  type ProcessorDefinition,
  PROMPT_PROCESSORS,
  type PromptProcessor,
  RAG_PROCESSORS,
  type RagProcessor,
} from './contract';

interface Defined {
  readonly definition: ProcessorDefinition;
}

/** The classic processors by name and alias. */
@Injectable()
export class ProcessorCatalogue {
  private readonly prompt: ReadonlyMap<string, PromptProcessor>;
  private readonly rag: ReadonlyMap<string, RagProcessor>;

  constructor(
    @Inject(PROMPT_PROCESSORS) promptProcessors: readonly PromptProcessor[],
    @Inject(RAG_PROCESSORS) ragProcessors: readonly RagProcessor[],
  ) {
    this.prompt = byName(promptProcessors);
    this.rag = byName(ragProcessors);
  }

  promptDefinitions(): ProcessorDefinition[] {
    return definitionsOf(this.prompt);
  }

  ragDefinitions(): ProcessorDefinition[] {
    return definitionsOf(this.rag);
  }

  findPrompt(name: string): PromptProcessor | undefined {
    return this.prompt.get(name);
  }

  findRag(name: string): RagProcessor | undefined {
    return this.rag.get(name);
  }

  /** Similar name for "did you mean"; null when nothing is near. */
  closestPrompt(name: string): string | null {
    return closest(name, this.prompt);
  }

  closestRag(name: string): string | null {
    return closest(name, this.rag);
  }
}

/** Every processor of the catalogue over the caller's own services, and those of plugins. */
export const processorsOver = (doubles: Doubles, plugins?: readonly Plugin[]): ProcessorCatalogue =>
  new ProcessorCatalogue(
    withPlugins('promptProcessors', constructPlugins<PromptProcessor>(PROMPT_PROCESSOR_PLUGINS, doubles), plugins),
    withPlugins('ragProcessors', constructPlugins<RagProcessor>(RAG_PROCESSOR_PLUGINS, doubles), plugins),
  );

const byName = <T extends Defined>(processors: readonly T[]): Map<string, T> =>
  new Map(processors.flatMap((each) => [each.definition.name, ...each.definition.aliases].map((name) => [name, each])));

const definitionsOf = (known: ReadonlyMap<string, Defined>): ProcessorDefinition[] =>
  [...new Set(known.values())].map(({ definition }) => definition);

function closest(name: string, known: ReadonlyMap<string, Defined>): string | null {
  const near = closestName(name, [...known.keys()]);
  return near === null ? null : (known.get(near)?.definition.name ?? null);
}
