import type { RetrievalService } from '../../knowledge-bases';
import type { ToolCaching } from '../contract';
import { type SearchSettings, wantsRewriting } from './search-settings';

/** Inputs that a search depends on: the question, the conversation where it is rewritten, and what the knowledge bases hold. */
export const searchCaching = (
  retrieval: Pick<RetrievalService, 'contentVersion' | 'readdress'>,
): ToolCaching<SearchSettings> => ({
  messages: wantsRewriting,
  contentVersion: ({ collections }, { owner }) =>
    collections.length === 0 ? Promise.resolve(null) : retrieval.contentVersion(owner, [...new Set(collections)]),
  renew: (output, { owner, caller: reader, assistantId }) => {
    let { content } = output;
    const sources = output.sources.map((source) => {
      const renewed = retrieval.readdress(source, { owner, reader, assistantId });
      // All links have the same length, so that the offsets of citations stay valid.
      if (source.type === 'knowledge_base' && renewed.type === 'knowledge_base' && source.url !== '')
        content = content.replaceAll(source.url, () => renewed.url);
      return renewed;
    });
    return { ...output, content, sources };
  },
});
