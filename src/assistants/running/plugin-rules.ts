import type { JsonObject, Problem } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { MetadataRules } from '../definition';
import { StrategyCatalogue, type StrategyDefinition } from '../../orchestrators';
import { ProcessorCatalogue, type PromptProcessor, type RagProcessor } from '../../processors';
import { ToolCatalogue } from '../../tools';

/** The rules of the installed tools, strategies and classic processors. */
@Injectable()
export class PluginRules implements MetadataRules {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly installed: StrategyCatalogue,
    private readonly processors: ProcessorCatalogue,
  ) {}

  findPrompt(name: string): PromptProcessor | undefined {
    return this.processors.findPrompt(name);
  }

  findRag(name: string): RagProcessor | undefined {
    return this.processors.findRag(name);
  }

  canonicalName(name: string): string {
    return this.tools.canonicalName(name);
  }

  placeholderOf(name: string): string | null | undefined {
    return this.tools.find(name)?.definition.placeholder;
  }

  placeholderTypes(): readonly string[] {
    return this.tools.placeholderTypes();
  }

  closestTool(name: string): string | null {
    return this.tools.closest(name);
  }

  allowsMultiple(name: string): boolean {
    return this.tools.find(name)?.definition.allow_multiple ?? true;
  }

  configProblems(name: string, config: unknown): readonly Problem[] {
    return this.tools.validate(name, config);
  }

  looksAtAnswer(name: string, config: JsonObject): boolean {
    return this.tools.phaseOf(name, config) === 'answer';
  }

  needsOf(name: string, config: JsonObject): { readonly tool: string | null } | null {
    return this.tools.needsOf(name, config);
  }

  strategies(): readonly string[] {
    return this.installed.definitions().map(({ name }) => name);
  }

  strategy(name: string): StrategyDefinition | undefined {
    return this.installed.find(name)?.definition;
  }

  optionProblems(strategy: string, options: unknown): readonly Problem[] {
    return this.installed.optionProblems(strategy, options);
  }
}
