import { Inject, Injectable } from '@nestjs/common';
import {
  type AssistantDocument,
  normaliseDocument,
  slotGrammar,
  type StoredDefinition,
  type ToolVocabulary,
} from '../../definition';
import { compilePipeline, StrategyCatalogue } from '../../orchestrators';
import { compileTemplate } from '../../templates';
import { ToolCatalogue } from '../../tools';
import type { CompiledAssistant, RequiredFeature } from '../access/assistant.types';
import { CatalogueRules } from './catalogue-rules';
import { requiredFeatures } from './required-features';

/** Reads and compiles stored definitions over the installed tools and strategies. Pure, and never throws. */
@Injectable()
export class AssistantCompiler {
  constructor(
    @Inject(CatalogueRules) private readonly vocabulary: ToolVocabulary,
    readonly tools: ToolCatalogue,
    readonly strategies: StrategyCatalogue,
  ) {}

  read(stored: StoredDefinition): AssistantDocument {
    return normaliseDocument(stored, this.vocabulary);
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
