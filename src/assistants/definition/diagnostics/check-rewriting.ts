import { isJsonObject, type JsonObject } from '../../../kernel';
import type { AssistantDocument } from '../metadata/document.types';
import { member } from '../metadata/parse-metadata';

/** Lookup of installed plugins that rewrite the question with the fast model. */
export interface RewritingRules {
  /** Config schema of a pipeline tool; empty for an unknown one. */
  schemaOf(tool: string): JsonObject;
  findRag(name: string): { readonly rewrites?: boolean } | undefined;
  findPrompt(name: string): { readonly rewrites?: boolean } | undefined;
}

/** Paths of settings that ask for a rewritten question; disabled tools do not count. */
export function rewritingPaths(document: AssistantDocument, rules: RewritingRules): string[] {
  if (document.type === 'classic') return classicPaths(document, rules);
  return document.pipeline
    .filter(({ enabled }) => enabled)
    .flatMap(({ index, plugin, config, fallback }) => {
      const base = `metadata.tools[${index}]`;
      const own = wantsRewriting(plugin, config, rules) ? [`${base}.config.rewrite_query`] : [];
      const other = fallback !== null && wantsRewriting(fallback.plugin, fallback.config, rules);
      return other ? [...own, `${base}.fallback.config.rewrite_query`] : own;
    });
}

function classicPaths({ classic }: AssistantDocument, rules: RewritingRules): string[] {
  const rag = rules.findRag(classic.ragProcessor);
  if (rag?.rewrites === true) return ['metadata.rag_processor'];
  const rewrites = rules.findPrompt(classic.promptProcessor)?.rewrites === true;
  return rewrites && rag !== undefined && classic.fetches ? ['metadata.prompt_processor'] : [];
}

function wantsRewriting(tool: string, config: JsonObject, rules: RewritingRules): boolean {
  const properties = member(rules.schemaOf(tool), 'properties');
  return isJsonObject(properties) && 'rewrite_query' in properties && member(config, 'rewrite_query') === true;
}
