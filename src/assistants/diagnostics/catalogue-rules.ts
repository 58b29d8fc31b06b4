import { Injectable } from '@nestjs/common';
import type { JsonObject, Problem } from '../../kernel';
import { StrategyCatalogue, type StrategySetting } from '../../orchestrators';
import { ToolCatalogue } from '../../tools';
import type { MetadataRules } from './metadata-rules.types';

/** The rules that the installed tools and strategies make. */
@Injectable()
export class CatalogueRules implements MetadataRules {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly installed: StrategyCatalogue,
  ) {}

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

  strategies(): readonly string[] {
    return this.installed.definitions().map(({ name }) => name);
  }

  settingsOf(strategy: string): readonly StrategySetting[] | undefined {
    return this.installed.reads(strategy);
  }

  optionProblems(strategy: string, options: unknown): readonly Problem[] {
    return this.installed.optionProblems(strategy, options);
  }
}
