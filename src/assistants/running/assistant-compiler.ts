import { Inject, Injectable } from '@nestjs/common';
import {
  type AssistantDocument,
  type Definition,
  type MetadataRules,
  normaliseDocument,
  slotGrammar,
  type StoredDefinition,
  withAutomaticTemplate,
} from '../definition';
import { compilePipeline, StrategyCatalogue } from '../../orchestrators';
import { compileTemplate } from '../../kernel/templates';
import { ToolCatalogue } from '../../tools';
import type { CompiledAssistant, RequiredFeature } from '../access/assistant.types';
import { CatalogueRules } from './catalogue-rules';
import { requiredFeatures } from './required-features';

/** Reads and compiles stored definitions over the installed tools and strategies. Pure, and never throws. */
@Injectable()
export class AssistantCompiler {
  constructor(
    @Inject(CatalogueRules) private readonly vocabulary: MetadataRules,
    readonly tools: ToolCatalogue,
    readonly strategies: StrategyCatalogue,
  ) {}

  read(stored: StoredDefinition): AssistantDocument {
    return normaliseDocument(stored, this.vocabulary);
  }

  withTemplate<T extends Omit<Definition, 'name' | 'description'>>(definition: T, before: Definition | null = null): T {
    return withAutomaticTemplate(definition, before, this.vocabulary);
  }

  required(document: AssistantDocument): RequiredFeature[] {
    return requiredFeatures(document, this.strategies);
  }

  compile(document: AssistantDocument): CompiledAssistant {
    const template = compileTemplate(document.template, slotGrammar(document, this.vocabulary));
    if (document.type === 'classic') return { template, pipeline: null };
    const { orchestrator: strategy, orchestratorOptions: options, pipeline: tools } = document;
    return { template, pipeline: compilePipeline({ strategy, options, tools, template }, this) };
  }
}
