import type { BlobSpace } from '../../files';

/** Where the original bytes of a knowledge base's documents lie. */
export const knowledgeBaseSpace = (organizationId: string, knowledgeBaseId: string): BlobSpace => [
  'knowledge-bases',
  organizationId,
  knowledgeBaseId,
];
