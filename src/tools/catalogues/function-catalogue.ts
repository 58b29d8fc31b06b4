import { Inject, Injectable } from '@nestjs/common';
import { isJsonObject, type JsonObject } from '../../kernel';
import { type FunctionEntry, type FunctionPlugin, FUNCTIONS } from '../contract';
import { PluginCatalogue } from './plugin-catalogue';

@Injectable()
export class FunctionCatalogue extends PluginCatalogue<FunctionPlugin> {
  constructor(@Inject(FUNCTIONS) plugins: readonly FunctionPlugin[]) {
    super(plugins);
  }
}

/** A document's functions as entries: each is an object with a `type`, the rest is its plugin's config. */
export const functionEntries = (functions: readonly JsonObject[]): FunctionEntry[] =>
  functions.filter(isJsonObject).map(({ type, ...config }, index) => ({ index, type: String(type), config }));
