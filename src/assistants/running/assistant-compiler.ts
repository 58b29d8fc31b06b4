import { AppError } from '@bellwether/kernel';
import { compileTemplate } from '@bellwether/kernel/templates';
import { Inject, Injectable } from '@nestjs/common';
import { StrategyCatalogue, compilePipeline } from '../../orchestrators';
import type { Features } from '../../organizations';
import { ToolCatalogue } from '../../tools';
import type { CompiledAssistant, RequiredFeature } from '../access/assistant.types';
import {
  type AssistantDocument,
  type Definition,
  type MetadataRules,
  type StoredDefinition,
  normaliseDocument,
  slotGrammar,
  withAutomaticTemplate,
} from '../definition';
import { PluginRules } from './plugin-rules';

/** Nothing for a classic assistant without functions, which every organization has. */
function requiredFeatures(
  { type, orchestrator, functions }: AssistantDocument,
  strategies: Pick<StrategyCatalogue, 'find'>,
): RequiredFeature[] {
  const required: RequiredFeature[] = [];
  const feature = strategies.find(orchestrator)?.definition.feature;
  if (type === 'multi_tool') required.push({ feature: 'multi_tool', subject: 'Multi-tool assistants' });
  if (type === 'multi_tool' && feature !== undefined)
    required.push({ feature, subject: `Assistants with the strategy \`${orchestrator}\`` });
  if (functions.length > 0) required.push({ feature: 'functions', subject: 'Assistants with functions' });
  return required;
}

/** The first required feature that the organization has switched off. */
export const switchedOff = (required: readonly RequiredFeature[], features: Features): RequiredFeature | undefined =>
  required.find(({ feature }) => !features[feature]);

/** @throws {AppError} `feature_disabled` */
export function assertFeatures(required: readonly RequiredFeature[], features: Features): void {
  const off = switchedOff(required, features);
  if (off !== undefined) throw new AppError('feature_disabled', `${off.subject} are switched off in this organization`);
}

/** Reads and compiles stored definitions over the installed tools and strategies. Pure, and never throws. */
@Injectable()
export class AssistantCompiler {
  constructor(
    @Inject(PluginRules) private readonly vocabulary: MetadataRules,
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
