import { isJsonObject } from '@bellwether/kernel';
import type { ToolDefinition } from '../contract';

/** True for a plugin whose config names knowledge bases, or that a planner takes for a search. */
export function isSearch({ role, config_schema: { properties } }: ToolDefinition): boolean {
  const settings = isJsonObject(properties) ? Object.values(properties) : [];
  return role === 'search' || settings.some((each) => isJsonObject(each) && each['x-reference'] === 'knowledge_base');
}
