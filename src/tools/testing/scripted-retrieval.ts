import type { Principal, Source } from '@bellwether/kernel';
import {
  AS_ASKED,
  type Passage,
  type QuestionToRewrite,
  type Retrieval,
  type RetrievalQuery,
  type RewrittenQuestion,
} from '../../knowledge-bases';

const isForeign = (ref: string): boolean => ref.startsWith('foreign');

const passage = (text: string, similarity: number): Passage => ({
  text,
  similarity,
  source: { type: 'knowledge_base', title: `${text}.md`, url: `/${text}`, similarity, document: text },
  metadata: {},
});

/** A fake retrieval: each knowledge base holds two passages, `empty` none; `words` has no vectors. */
export function scriptedRetrieval() {
  const asked: RetrievalQuery[] = [];
  return {
    asked,
    inaccessible: (_: Principal, refs: readonly string[]) => Promise.resolve(refs.filter(isForeign)),
    unlisted: () => Promise.resolve([]),
    unmet: (_: Principal, refs: readonly string[], mode: string) => {
      const unmet = refs.filter((ref) => ref === 'words' && mode !== 'keyword');
      return Promise.resolve(new Map(unmet.map((ref) => [ref, `no ${mode} mode`])));
    },
    languages: () => Promise.resolve(['en']),
    contentVersion: (_: Principal, refs: readonly string[]) =>
      Promise.resolve(refs.includes('elsewhere') ? null : 'as it is'),
    readdress: (source: Source, { reader }: { readonly reader: Principal }): Source =>
      source.type === 'knowledge_base' ? { ...source, url: `${source.url.split('#')[0]}#${reader.userId}` } : source,
    target: () => Promise.resolve(null),
    retrieve: (_: Principal, query: RetrievalQuery): Promise<Retrieval> => {
      asked.push(query);
      query.collections.forEach((collection) => query.onSearch?.(collection));
      const passages = query.collections.includes('empty') ? [] : [passage('leaf', 0.75), passage('light', 0.5)];
      const mode = query.mode ?? 'keyword';
      return Promise.resolve({
        collections: query.collections.map((collection) => ({ collection, mode })),
        passages: passages.slice(0, query.topK),
        question: AS_ASKED,
        warnings: [],
      });
    },
  };
}

export const REWRITING_USAGE = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };

export const searchRewriter = {
  rewrite: ({ messages }: QuestionToRewrite): Promise<RewrittenQuestion> =>
    Promise.resolve({
      text: `${messages.length} messages on chlorophyll`,
      rewritten: true,
      warnings: [],
      usage: REWRITING_USAGE,
    }),
};

/** Configs that no searching tool takes, with the path of one of their problems. */
export const REFUSED_SEARCHES = [
  [{ collections: 'biology' }, 'collections'],
  [{ collections: [], top_k: 99 }, 'top_k'],
  [{ threshold: -0.1 }, 'threshold'],
  [{ collections: [], mode: 'hybrid' }, 'mode'],
  [{ sources_in_prompt: true }, 'sources_in_prompt'],
] as const;

export const INCOMPLETE_SEARCHES = [
  [{}, 'tool.config_incomplete'],
  [{ collections: [] }, 'tool.config_incomplete'],
] as const;
